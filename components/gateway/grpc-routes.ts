import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IBackendTrafficPolicy } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/BackendTrafficPolicy";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { grpcCallRouteName, grpcStreamRouteName } from "../../names/model-routes";
import { serviceFqdn } from "../../names/service-host";
import type { Sessions } from "../../planner/affinity";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import type { ModelEndpoint } from "../serving/endpoint";
import { sessionPart } from "./affinity";
import { backendPolicy } from "./backend-policies";
import { grpcHealthPart } from "./health-checks";
import { MODEL_HEADER } from "./names";
import { backendRefs, revisionsOf, type Share, sharesOf } from "./shares";
import { withTokens } from "./tokens";
import { HTTPS_LISTENER, seconds } from "./traffic";

/** An endpoint with KServe's v2 API over gRPC. */
export type GrpcEndpoint = ModelEndpoint & { readonly ports: { readonly "kserve-grpc": number } };

export function speaksGrpc(endpoint: ModelEndpoint): endpoint is GrpcEndpoint {
  return endpoint.ports["kserve-grpc"] !== undefined;
}

/** Metadata in which a call names its model, by its key in the environment: messages have names too, which no proxy reads. */
export const CALLED_MODEL_HEADER = "x-model";

const SERVICE = "inference.GRPCInferenceService";

/**
 * Calls of one request and one answer that pass. All else ends at the gateway: the same service loads and unloads models,
 * shares memory and changes what is traced and logged.
 */
const CALLS = ["ModelInfer", "ModelMetadata", "ModelReady", "ServerLive", "ServerReady"] as const;

/** The call that is a stream both ways. */
const STREAM = "ModelStreamInfer";

export interface GrpcRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly endpoints: readonly GrpcEndpoint[];
  readonly sessions: Sessions;
  /** Header in which clients name their session. @default x-session-id */
  readonly sessionHeader?: string | undefined;
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
  /** The policy towards models on the listener, which streams need without its request buffer. */
  readonly listenerPolicy: NonNullable<IBackendTrafficPolicy["spec"]>;
}

/**
 * KServe's v2 API over gRPC, at the address of everything else, to the models that calls name in `x-model`.
 *
 * HTTPRoutes, though Gateway API has GRPCRoutes: a listener may not have both kinds for one hostname (Gateway API 1.6,
 * GRPCRouteSpec.hostnames), and with a GRPCRoute Envoy Gateway 1.9 counts every gRPC path that anybody sends in series of its own,
 * keyless callers' included (`stats_for_all_methods`, internal/xds/filters/wellknown.go).
 */
export class GrpcRoutes extends PlatformComponent {
  private readonly args: GrpcRoutesArgs;

  constructor(name: string, args: GrpcRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:GrpcRoutes", name, opts);
    this.args = args;
    for (const endpoint of args.endpoints) {
      const { model } = endpoint;
      this.backend(endpoint);
      this.route(endpoint, grpcCallRouteName(model), CALLS);
      this.route(endpoint, grpcStreamRouteName(model), [STREAM]);
      this.callPolicy(model);
      this.streamPolicy(model);
    }
    this.registerOutputs({});
  }

  private backend({ model, service, namespace, ports }: GrpcEndpoint): void {
    customResource<IBackend>(
      this.child(`backend-${model}`),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        ...this.metadata(model, backendName(model)),
        spec: {
          appProtocols: ["gateway.envoyproxy.io/h2c"],
          endpoints: [{ fqdn: { hostname: serviceFqdn(service, namespace), port: ports["kserve-grpc"] } }],
        },
      },
      this.childOptions(),
    );
  }

  private route({ model, servedName }: GrpcEndpoint, name: string, calls: readonly string[]): void {
    customResource<IHTTPRoute>(
      this.child(`route-${name}`),
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        ...this.metadata(model, name),
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: withTokens(
            [
              {
                matches: calls.map((call) => ({
                  method: "POST" as const,
                  path: { type: "Exact" as const, value: `/${SERVICE}/${call}` },
                  headers: [{ type: "Exact" as const, name: CALLED_MODEL_HEADER, value: model }],
                })),
                // For the access log: here, no filter reads the body to find it.
                filters: [
                  {
                    type: "RequestHeaderModifier" as const,
                    requestHeaderModifier: { set: [{ name: MODEL_HEADER, value: servedName }] },
                  },
                ],
                backendRefs: backendRefs(this.sharesOf(model)),
                timeouts: { request: seconds(this.args.requestTimeoutSeconds) },
              },
            ],
            this.args.tokens,
          ),
        },
      },
      this.childOptions(),
    );
  }

  private callPolicy(model: string): void {
    const name = grpcCallRouteName(model);
    backendPolicy(
      this.child(`backends-${name}`),
      { ...this.metadata(model, name), routes: [{ kind: "HTTPRoute", name }], parts: this.parts(model) },
      this.childOptions(),
    );
  }

  /**
   * In place of the listener's policy, not merged into it: a merge takes nothing away, and behind a request buffer no
   * request of a stream would arrive before the client has sent its last.
   */
  private streamPolicy(model: string): void {
    const name = grpcStreamRouteName(model);
    const { requestBuffer, targetRefs, ...listener } = this.args.listenerPolicy;
    const [health, session] = this.parts(model);
    customResource<IBackendTrafficPolicy>(
      this.child(`backends-${name}`),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "BackendTrafficPolicy",
        ...this.metadata(model, name),
        spec: {
          targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name }],
          ...listener,
          ...session,
          healthCheck: { ...listener.healthCheck, ...health.healthCheck },
        },
      },
      this.childOptions(),
    );
  }

  private parts(model: string) {
    return [
      grpcHealthPart(),
      sessionPart(this.args.sessions.get(model), this.sharesOf(model), this.args.sessionHeader),
    ] as const;
  }

  private sharesOf(model: string): readonly Share[] {
    const shares = sharesOf(model, revisionsOf(model, this.args.endpoints));
    return shares.map(({ name, weight }) => ({ name: backendName(name), weight }));
  }

  private metadata(model: string, name: string) {
    return {
      name,
      namespace: this.args.namespace,
      labels: { ...standardLabels("model-route", model, { [MODEL_LABEL]: model }) },
    };
  }
}

/** The HTTPRoutes of a model. */
export function grpcRouteNames(model: string): string[] {
  return [grpcCallRouteName(model), grpcStreamRouteName(model)];
}

/** Names of models have no dot: none of these is another's. */
function backendName(model: string): string {
  return `${model}.grpc`;
}
