import { isIP } from "node:net";
import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { TOKEN_COSTS } from "./access-log";
import type { ApiSchema, IAIGatewayRoute, IAIServiceBackend } from "./ai-gateway-types";
import { MODEL_HEADER } from "./names";
import { HEADERS_THAT_STAY, keyFilter, upstreamTls } from "./outside-access";
import { isOutside, type Published } from "./published";
import { backendRefs, sharesOf } from "./shares";
import { HTTPS_LISTENER, seconds } from "./traffic";

export interface ModelRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly published: readonly Published[];
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
}

/**
 * Two ways to each model:
 *
 * - `/v1/…`, where the `model` field of the body decides. Envoy AI Gateway turns each AIGatewayRoute into an
 *   HTTPRoute that matches on the model, and a last rule that answers 404 when none does. It answers
 *   `GET /v1/models` itself, with the models of all routes.
 * - `/<model>/v1/…`, a base URL of its own per server group, past the AI gateway's filter: any path that the
 *   engine has under `/v1`, without token counts. The longer prefix wins, so both live on one listener.
 *
 * Weights and priorities are written out though they are the defaults, here and in other lists: server-side apply gives such a
 * list one owner, and GitOps would see a difference for ever in what the API server adds to it.
 *
 * A second revision of a model takes its share on both ways, and has its own path besides, whatever its share is.
 *
 * One route resource per model: adding a model touches no other, and the limit of 15 rules per route is no limit.
 */
export class ModelRoutes extends PlatformComponent {
  private readonly args: ModelRoutesArgs;

  constructor(name: string, args: ModelRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:ModelRoutes", name, opts);
    this.args = args;
    const revisions = new Set(args.published.flatMap((server) => (server.revisions ?? []).map((share) => share.name)));
    for (const server of args.published) {
      this.backend(server);
      if (server.names.length > 0 || revisions.has(server.name)) {
        this.schema(server);
      }
      if (server.names.length > 0) {
        this.routeByModel(server);
      }
      this.routeByPath(server);
    }
    this.registerOutputs({});
  }

  /**
   * A server outside, or the Service by its DNS name, from the gateway's own namespace: no ReferenceGrant in the model's. A headless
   * Service resolves to the replicas, so that Envoy balances requests over them rather than connections.
   */
  private backend(server: Published): void {
    const { host, port } = server.upstream;
    customResource<IBackend>(
      this.child(`backend-${server.name}`),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        ...this.metadata(server, server.name),
        spec: {
          endpoints: [isIP(host) === 0 ? { fqdn: { hostname: host, port } } : { ip: { address: host, port } }],
          ...(isOutside(server) && upstreamTls(server)),
        },
      },
      this.childOptions(),
    );
  }

  private schema(server: Published): void {
    const { name, task, upstream } = server;
    customResource<IAIServiceBackend>(
      this.child(`schema-${name}`),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "AIServiceBackend",
        ...this.metadata(server, name),
        spec: {
          schema: schemaOf(task, upstream.path),
          backendRef: { group: "gateway.envoyproxy.io", kind: "Backend", name },
          ...(isOutside(server) && { headerMutation: { remove: [...HEADERS_THAT_STAY] } }),
        },
      },
      this.childOptions(),
    );
  }

  private routeByModel(server: Published): void {
    const { name, names } = server;
    const { modelThere } = isOutside(server) ? server.outside : {};
    customResource<IAIGatewayRoute>(
      this.child(`route-${name}`),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "AIGatewayRoute",
        ...this.metadata(server, `model-${name}`),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: [
            {
              // `GET /v1/models` lists each; a rule of the HTTPRoute made of it takes 64 (Gateway API 1.6).
              matches: names.map((value) => ({ headers: [{ type: "Exact", name: MODEL_HEADER, value }] })),
              // One priority: requests are shared, and nobody stands in for another.
              backendRefs: sharesOf(name, server.revisions).map((share) => ({
                name: share.name,
                priority: 0,
                weight: share.weight,
                ...(modelThere !== undefined && { modelNameOverride: modelThere }),
              })),
              timeouts: { request: seconds(this.args.requestTimeoutSeconds) },
              modelsOwnedBy: server.ownedBy,
            },
          ],
          llmRequestCosts: [...TOKEN_COSTS],
        },
      },
      this.childOptions(),
    );
  }

  private routeByPath(server: Published): void {
    const { name, upstream } = server;
    const [modelName = name] = server.names;
    customResource<IHTTPRoute>(
      this.child(`path-${name}`),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        ...this.metadata(server, `path-${name}`),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: [
            {
              // Only what is under /v1: engines have administration paths beside it.
              matches: [{ path: { type: "PathPrefix", value: `/${name}/v1` } }],
              filters: [
                {
                  type: "URLRewrite",
                  urlRewrite: {
                    // Of an address it takes none (Envoy Gateway 1.9): the server sees the gateway's name.
                    ...(isIP(upstream.host) === 0 && { hostname: upstream.host }),
                    path: { type: "ReplacePrefixMatch", replacePrefixMatch: upstream.path || "/" },
                  },
                },
                // For the access log: here, no filter reads the body to find it.
                {
                  type: "RequestHeaderModifier",
                  requestHeaderModifier: {
                    set: [{ name: MODEL_HEADER, value: modelName }],
                    ...(isOutside(server) && { remove: [...HEADERS_THAT_STAY] }),
                  },
                },
                ...(isOutside(server) ? keyFilter(server) : []),
              ],
              backendRefs: backendRefs(sharesOf(name, server.revisions)),
              timeouts: { request: seconds(this.args.requestTimeoutSeconds) },
            },
          ],
        },
      },
      this.childOptions(),
    );
  }

  private metadata(
    server: Published,
    name: string,
  ): { name: string; namespace: pulumi.Input<string>; labels: Record<string, string> } {
    return {
      name,
      namespace: this.args.namespace,
      labels: { ...standardLabels("model-route", server.name, { [MODEL_LABEL]: server.name }) },
    };
  }
}

/** API of a task: Cohere's for rerank, because OpenAI has none. */
function schemaOf(task: Published["task"], prefix: string): ApiSchema {
  return task === "rerank" ? { name: "Cohere", version: "v2" } : { name: "OpenAI", prefix };
}
