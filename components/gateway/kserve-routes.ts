import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { kserveRouteName } from "../../names/model-routes";
import type { Sessions } from "../../planner/affinity";
import type { ModelTask } from "../../planner/types";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { KSERVE_ACTIONS } from "../node/kserve-actions";
import type { ModelEndpoint } from "../serving/endpoint";
import { sessionPart } from "./affinity";
import { backendPolicy } from "./backend-policies";
import { healthPart, readyPath } from "./health-checks";
import { MODEL_HEADER } from "./names";
import { hostOf, type Upstream } from "./published";
import { backendRefs, revisionsOf, type Share, sharesOf } from "./shares";
import { withTokens } from "./tokens";
import { HTTPS_LISTENER, seconds } from "./traffic";

/** An endpoint whose only HTTP API is KServe's v2: the `model` field of OpenAI's requests cannot lead there. */
export type KserveEndpoint = ModelEndpoint & { readonly ports: { readonly "kserve-http": number } };

export function speaksKserveAlone(endpoint: ModelEndpoint): endpoint is KserveEndpoint {
  return endpoint.ports.openai === undefined && endpoint.ports["kserve-http"] !== undefined;
}

/** Where clients find an endpoint, below the gateway's address. */
export function kservePath({ model, servedName }: Pick<ModelEndpoint, "model" | "servedName">): string {
  return `/${model}/v2/models/${servedName}`;
}

/** A server with KServe's API as the gateway publishes it. */
export interface KservePublished {
  /** Names its objects: a model's key in the environment, or the path of a server group. */
  readonly name: string;
  /** Key of the model whose settings hold for it. @default its own name */
  readonly model?: string;
  readonly servedName: string;
  readonly task: ModelTask;
  readonly upstream: Pick<Upstream, "host" | "port">;
  /** What passes. */
  readonly actions: readonly KserveAction[];
  /** Where those who answer say that they can. @default not asked */
  readonly readyPath?: string;
  /** Others that take percents of its requests, each under a `name` of its own. */
  readonly revisions: readonly Share[];
}

export interface KserveAction {
  readonly method: "GET" | "POST";
  /** At the gateway, to the letter. */
  readonly path: string;
  /** The server's own. */
  readonly there: string;
}

/** What passes below a path of the gateway. */
export function kserveActions(name: string, servedName: string): KserveAction[] {
  return KSERVE_ACTIONS.map(({ method, path }) => ({
    method,
    path: `${kservePath({ model: name, servedName })}${path}`,
    there: `/v2/models/${servedName}${path}`,
  }));
}

/** Models of the cluster. */
export function publishedKserve(endpoints: readonly KserveEndpoint[]): KservePublished[] {
  return endpoints.map((endpoint) => {
    const { model, servedName, task, ports } = endpoint;
    const ready = readyPath(endpoint, endpoints);
    return {
      name: model,
      servedName,
      task,
      upstream: { host: hostOf(endpoint), port: ports["kserve-http"] },
      actions: kserveActions(model, servedName),
      ...(ready !== undefined && { readyPath: ready }),
      revisions: revisionsOf(model, endpoints),
    };
  });
}

export interface KserveRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly published: readonly KservePublished[];
  readonly sessions: Sessions;
  /** Header in which clients name their session. @default x-session-id */
  readonly sessionHeader?: string | undefined;
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
}

/**
 * `/<model>/v2/models/<served name>/…` for each endpoint with KServe's API over HTTP, and `/<group>/infer` for its nodes, without token
 * counts; one route resource per server. Over gRPC: `grpc-routes.ts`.
 */
export class KserveRoutes extends PlatformComponent {
  constructor(name: string, args: KserveRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:KserveRoutes", name, opts);
    for (const server of args.published) {
      const { name: own, model = own, readyPath: ready, revisions } = server;
      this.backend(server, args);
      this.route(server, args);
      backendPolicy(
        this.child(`backends-${own}`),
        {
          namespace: args.namespace,
          name: kserveRouteName(own),
          labels: labelsOf(own),
          routes: [{ kind: "HTTPRoute", name: kserveRouteName(own) }],
          parts: [
            healthPart(ready),
            sessionPart(args.sessions.get(model), sharesOf(own, revisions), args.sessionHeader),
          ],
        },
        this.childOptions(),
      );
    }
    this.registerOutputs({});
  }

  private backend({ name, upstream }: KservePublished, { namespace }: KserveRoutesArgs): void {
    customResource<IBackend>(
      this.child(`backend-${name}`),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        name,
        namespace,
        labels: labelsOf(name),
        spec: { endpoints: [{ fqdn: { hostname: upstream.host, port: upstream.port } }] },
      },
      this.childOptions(),
    );
  }

  private route(server: KservePublished, args: KserveRoutesArgs): void {
    const { namespace, tokens, requestTimeoutSeconds } = args;
    const { name, servedName, upstream, actions, revisions } = server;
    customResource<IHTTPRoute>(
      this.child(`path-${name}`),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        name: kserveRouteName(name),
        namespace,
        labels: labelsOf(name),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: withTokens(
            actions.map(({ method, path, there }) => ({
              matches: [{ method, path: { type: "Exact" as const, value: path } }],
              filters: [
                {
                  type: "URLRewrite" as const,
                  urlRewrite: {
                    hostname: upstream.host,
                    path: { type: "ReplaceFullPath" as const, replaceFullPath: there },
                  },
                },
                // For the access log: here, no filter reads the body to find it.
                {
                  type: "RequestHeaderModifier" as const,
                  requestHeaderModifier: { set: [{ name: MODEL_HEADER, value: servedName }] },
                },
              ],
              backendRefs: backendRefs(sharesOf(name, revisions)),
              timeouts: { request: seconds(requestTimeoutSeconds) },
            })),
            tokens,
          ),
        },
      },
      this.childOptions(),
    );
  }
}

function labelsOf(name: string): Record<string, string> {
  return { ...standardLabels("model-route", name, { [MODEL_LABEL]: name }) };
}
