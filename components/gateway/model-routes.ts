import { isIP } from "node:net";
import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { freeRouteName, modelRouteName } from "../../names/model-routes";
import type { Sessions } from "../../planner/affinity";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { TOKEN_COSTS } from "./access-log";
import { sessionPart } from "./affinity";
import type { ApiSchema, IAIGatewayRoute, IAIServiceBackend, ModelMatches } from "./ai-gateway-types";
import { type BackendPart, backendPolicy } from "./backend-policies";
import { type FreeCallers, freeMatches, freePart } from "./free-routes";
import { healthPart, outsideHealthPart } from "./health-checks";
import { ModelPaths, type ModelPathsArgs, nameMatches, pathMatches, pathRoute } from "./model-paths";
import { MODEL_HEADER } from "./names";
import { HEADERS_THAT_STAY, serverTls } from "./outside-access";
import { isOutside, type Published } from "./published";
import { sharesOf } from "./shares";
import { HTTPS_LISTENER, seconds } from "./traffic";

export interface ModelRoutesArgs extends ModelPathsArgs {
  readonly sessions: Sessions;
  /** Header in which clients name their session. @default x-session-id */
  readonly sessionHeader?: string | undefined;
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
}

/**
 * Two ways to each model, both through the AI gateway's filter, which counts tokens:
 *
 * - `/v1/…`, where the `model` field of the body decides. Envoy AI Gateway turns each AIGatewayRoute into an
 *   HTTPRoute that matches on the model, and a last rule that answers 404 when none does. It answers
 *   `GET /v1/models` itself, with the models of all routes.
 * - `/<model>/v1/…`, a base URL of its own per server group, where the body must name that model (`model-paths.ts`).
 *
 * What engines have under `/v1` besides the filter's paths is not reachable.
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
    const { published, free } = args;
    new ModelPaths(this.child("paths"), args, this.childOptions());
    for (const server of published) {
      this.backend(server);
      this.schema(server);
      this.route(server);
      this.path(server);
      this.policy(`backends-${server.name}`, server, modelRouteName(server.name));
      if (free) {
        this.freeRoute(server, free);
      }
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
          ...(isOutside(server) && serverTls(server)),
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

  private route(server: Published): void {
    const { name, names, pathNames = names } = server;
    this.aiRoute(`route-${name}`, server, modelRouteName(name), [
      // `GET /v1/models` lists each; a rule of the HTTPRoute made of it takes 64 (Gateway API 1.6).
      ...(names.length > 0
        ? [names.map((value) => ({ headers: [{ type: "Exact" as const, name: MODEL_HEADER, value }] }))]
        : []),
      pathMatches(name, pathNames),
    ]);
  }

  /** Both ways in one rule, so that they share one cluster of Envoy and its limits. */
  private freeRoute(server: Published, free: FreeCallers): void {
    const { name, model = name, names, pathNames = names } = server;
    const matches = [...(names.length > 0 ? nameMatches(names) : []), ...pathMatches(name, pathNames)];
    this.aiRoute(`free-${name}`, server, freeRouteName(name), [freeMatches(matches, free)]);
    this.policy(`free-backends-${name}`, server, freeRouteName(name), [freePart(model, free)]);
  }

  /** @param rules what each of its rules matches. */
  private aiRoute(child: string, server: Published, routeName: string, rules: readonly ModelMatches[]): void {
    const { modelThere } = isOutside(server) ? server.outside : {};
    customResource<IAIGatewayRoute>(
      this.child(child),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "AIGatewayRoute",
        ...this.metadata(server, routeName),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: rules.map((matches) => ({
            matches,
            // One priority: requests are shared, and no replica replaces another.
            backendRefs: sharesOf(server.name, server.revisions).map((share) => ({
              name: share.name,
              priority: 0,
              weight: share.weight,
              ...(modelThere !== undefined && { modelNameOverride: modelThere }),
            })),
            timeouts: { request: seconds(this.args.requestTimeoutSeconds) },
            modelsOwnedBy: server.ownedBy,
          })),
          llmRequestCosts: [...TOKEN_COSTS],
        },
      },
      this.childOptions(),
    );
  }

  private path(server: Published): void {
    const { name } = server;
    customResource<IHTTPRoute>(
      this.child(`path-${name}`),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        name: pathRouteName(name),
        namespace: this.args.namespace,
        ...pathRoute(server, this.args.tokens),
      },
      this.childOptions(),
    );
  }

  /** Of both ways, which are rules of one route. */
  private policy(child: string, server: Published, routeName: string, parts: readonly BackendPart[] = []): void {
    const { name, model = name, readyPath, revisions } = server;
    backendPolicy(
      this.child(child),
      {
        ...this.metadata(server, routeName),
        routes: [{ kind: "HTTPRoute", name: routeName }],
        parts: [
          isOutside(server) ? outsideHealthPart(server) : healthPart(readyPath),
          sessionPart(this.args.sessions.get(model), sharesOf(name, revisions), this.args.sessionHeader),
          ...parts,
        ],
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

/** The HTTPRoute of a server's own path. */
export function pathRouteName(name: string): string {
  return `path-${name}`;
}

/** API of a task: Cohere's for rerank, because OpenAI has none. */
function schemaOf(task: Published["task"], prefix: string): ApiSchema {
  return task === "rerank" ? { name: "Cohere", version: "v2" } : { name: "OpenAI", prefix };
}
