import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { serviceFqdn } from "../../names/service-host";
import type { Sessions } from "../../planner/affinity";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import type { ModelEndpoint } from "../serving/endpoint";
import { sessionPart } from "./affinity";
import { backendPolicy } from "./backend-policies";
import { healthPart, readyPath } from "./health-checks";
import { MODEL_HEADER } from "./names";
import { backendRefs, revisionsOf, type Share, sharesOf } from "./shares";
import { withTokens } from "./tokens";
import { HTTPS_LISTENER, seconds } from "./traffic";

/** An endpoint whose only HTTP API is KServe's v2: the `model` field of OpenAI's requests cannot lead there. */
export type KserveEndpoint = ModelEndpoint & { readonly ports: { readonly "kserve-http": number } };

export function speaksKserveAlone(endpoint: ModelEndpoint): endpoint is KserveEndpoint {
  return endpoint.ports.openai === undefined && endpoint.ports["kserve-http"] !== undefined;
}

/**
 * Requests that pass, below `/v2/models/<name>`; the empty one is the model's inputs and outputs. All else ends at the
 * gateway: servers let whoever reaches them load and unload models, and change how they trace, on paths beside these.
 */
const ACTIONS = [
  { method: "POST", path: "/infer" },
  { method: "POST", path: "/generate" },
  { method: "POST", path: "/generate_stream" },
  { method: "GET", path: "" },
  { method: "GET", path: "/ready" },
] as const;

/** Where clients find an endpoint, below the gateway's address. */
export function kservePath({ model, servedName }: Pick<ModelEndpoint, "model" | "servedName">): string {
  return `/${model}/v2/models/${servedName}`;
}

export interface KserveRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly endpoints: readonly KserveEndpoint[];
  readonly sessions: Sessions;
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
}

/**
 * `/<model>/v2/models/<served name>/…` for each endpoint with KServe's API over HTTP, without token counts; one route
 * resource per model. Over gRPC: `grpc-routes.ts`.
 */
export class KserveRoutes extends PlatformComponent {
  constructor(name: string, args: KserveRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:KserveRoutes", name, opts);
    for (const endpoint of args.endpoints) {
      this.backend(endpoint, args);
      this.route(endpoint, args);
      backendPolicy(
        this.child(`backends-${endpoint.model}`),
        {
          namespace: args.namespace,
          name: kserveRouteName(endpoint.model),
          labels: labelsOf(endpoint.model),
          routes: [{ kind: "HTTPRoute", name: kserveRouteName(endpoint.model) }],
          parts: [
            healthPart(readyPath(endpoint, args.endpoints)),
            sessionPart(args.sessions.get(endpoint.model), sharesIn(args, endpoint.model)),
          ],
        },
        this.childOptions(),
      );
    }
    this.registerOutputs({});
  }

  private backend(endpoint: KserveEndpoint, { namespace }: KserveRoutesArgs): void {
    const { model } = endpoint;
    customResource<IBackend>(
      this.child(`backend-${model}`),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        name: model,
        namespace,
        labels: labelsOf(model),
        spec: { endpoints: [{ fqdn: { hostname: hostOf(endpoint), port: endpoint.ports["kserve-http"] } }] },
      },
      this.childOptions(),
    );
  }

  private route(endpoint: KserveEndpoint, args: KserveRoutesArgs): void {
    const { namespace, tokens, requestTimeoutSeconds } = args;
    const { model, servedName } = endpoint;
    customResource<IHTTPRoute>(
      this.child(`path-${model}`),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        name: kserveRouteName(model),
        namespace,
        labels: labelsOf(model),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: withTokens(
            ACTIONS.map(({ method, path }) => ({
              matches: [{ method, path: { type: "Exact" as const, value: `${kservePath(endpoint)}${path}` } }],
              filters: [
                {
                  type: "URLRewrite" as const,
                  urlRewrite: {
                    hostname: hostOf(endpoint),
                    path: { type: "ReplaceFullPath" as const, replaceFullPath: `/v2/models/${servedName}${path}` },
                  },
                },
                // For the access log: here, no filter reads the body to find it.
                {
                  type: "RequestHeaderModifier" as const,
                  requestHeaderModifier: { set: [{ name: MODEL_HEADER, value: servedName }] },
                },
              ],
              backendRefs: backendRefs(sharesIn(args, model)),
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

function sharesIn({ endpoints }: KserveRoutesArgs, model: string): readonly Share[] {
  return sharesOf(model, revisionsOf(model, endpoints));
}

/** The HTTPRoute of a model. */
export function kserveRouteName(model: string): string {
  return `kserve-${model}`;
}

function hostOf({ service, namespace }: KserveEndpoint): string {
  return serviceFqdn(service, namespace);
}

function labelsOf(model: string): Record<string, string> {
  return { ...standardLabels("model-route", model, { [MODEL_LABEL]: model }) };
}
