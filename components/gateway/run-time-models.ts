import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import type { IHTTPRoute } from "@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { serviceFqdn } from "../../names/service-host";
import type { PodSelection } from "../core/connections";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { TOKEN_COSTS } from "./access-log";
import type { IAIGatewayRoute, IAIServiceBackend } from "./ai-gateway-types";
import { type BackendPart, backendPolicy } from "./backend-policies";
import { MODEL_HEADER } from "./names";
import { withTokens } from "./tokens";
import { GIVE_UP, HTTPS_LISTENER, seconds } from "./traffic";

/** A server that knows which models there are at the moment, and answers for all that no route of the gateway names. */
export interface RunTimeModels {
  /** Name of its Service, in the namespace of its pods. */
  readonly service: string;
  readonly pods: PodSelection;
  readonly port: number;
  /** Whether it answers Ollama's own API too. */
  readonly ollamaApi: boolean;
}

export interface RunTimeRoutesArgs {
  readonly namespace: pulumi.Input<string>;
  readonly models: RunTimeModels;
  /** Whether tokens count besides keys. */
  readonly tokens: boolean;
  /** Seconds until a whole response must be done. */
  readonly requestTimeoutSeconds: number;
}

/** Of its objects, apart from those of models, which may have any name without a prefix. */
const NAME = "run-time-models";
const OLLAMA_ROUTE = "ollama-api";

/** Names of the routes past the AI gateway's filter, to an engine's own API. */
export function ownApiRouteNames(models: RunTimeModels | undefined): string[] {
  return models?.ollamaApi ? [OLLAMA_ROUTE] : [];
}

/**
 * Ollama's API as far as clients get it, to the letter: what is missing of it changes what an engine has. The server allows the
 * same (services/model-control/src/relay/calls.ts), so a mistake in one of the two opens nothing.
 */
const OLLAMA_CALLS = [
  { method: "POST", path: "/api/chat" },
  { method: "POST", path: "/api/generate" },
  { method: "POST", path: "/api/embed" },
  { method: "POST", path: "/api/embeddings" },
  { method: "POST", path: "/api/show" },
  { method: "GET", path: "/api/tags" },
  { method: "GET", path: "/api/ps" },
  { method: "GET", path: "/api/version" },
] as const;

/**
 * Two ways to models that come at run time: `/v1/…`, where the AI gateway's filter counts tokens as of any model, and Ollama's own
 * paths, past the filter. Who calls, the listener's policy knows on both.
 */
export class RunTimeRoutes extends PlatformComponent {
  constructor(name: string, args: RunTimeRoutesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:RunTimeRoutes", name, opts);
    const { namespace, models } = args;
    const labels = { ...standardLabels("model-route", NAME) };
    const timeouts = { request: seconds(args.requestTimeoutSeconds) };
    const backend = { group: "gateway.envoyproxy.io", kind: "Backend", name: NAME } as const;
    customResource<IBackend>(
      this.child("backend"),
      {
        apiVersion: "gateway.envoyproxy.io/v1alpha1",
        kind: "Backend",
        name: NAME,
        namespace,
        labels,
        spec: {
          endpoints: [{ fqdn: { hostname: serviceFqdn(models.service, models.pods.namespace), port: models.port } }],
        },
      },
      this.childOptions(),
    );
    customResource<IAIServiceBackend>(
      this.child("schema"),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "AIServiceBackend",
        name: NAME,
        namespace,
        labels,
        spec: { schema: { name: "OpenAI", prefix: "/v1" }, backendRef: backend },
      },
      this.childOptions(),
    );
    customResource<IAIGatewayRoute>(
      this.child("route"),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "AIGatewayRoute",
        name: NAME,
        namespace,
        labels,
        spec: {
          parentRefs: [HTTPS_LISTENER],
          rules: [
            {
              // Models with routes ask for their exact names, so they come before this one (Envoy Gateway 1.9, internal/gatewayapi/
              // sort.go). `GET /v1/models` lists exact names only (Envoy AI Gateway 1.1, internal/controller/gateway.go).
              matches: [{ headers: [{ type: "RegularExpression", name: MODEL_HEADER, value: ".+" }] }],
              backendRefs: [{ name: NAME, priority: 0, weight: 1 }],
              timeouts,
              // Its default, written out; these models are in no list.
              modelsOwnedBy: "Envoy AI Gateway",
            },
          ],
          llmRequestCosts: [...TOKEN_COSTS],
        },
      },
      this.childOptions(),
    );
    if (models.ollamaApi) {
      customResource<IHTTPRoute>(
        this.child("ollama"),
        {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          name: OLLAMA_ROUTE,
          namespace,
          labels,
          spec: {
            parentRefs: [HTTPS_LISTENER],
            rules: withTokens(
              [
                {
                  matches: OLLAMA_CALLS.map(({ method, path }) => ({ method, path: { type: "Exact", value: path } })),
                  backendRefs: [{ ...backend, weight: 1 }],
                  timeouts,
                },
              ],
              args.tokens,
            ),
          },
        },
        this.childOptions(),
      );
    }
    backendPolicy(
      this.child("backends"),
      {
        namespace,
        name: NAME,
        labels,
        routes: [NAME, ...(models.ollamaApi ? [OLLAMA_ROUTE] : [])].map((route) => ({
          kind: "HTTPRoute",
          name: route,
        })),
        parts: [ERRORS_ARE_THE_ENGINES],
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}

/**
 * An error of the server says that an engine is away or a model is not loaded: a client that asks for one of those again and again must
 * not have the proxies give up on the server for all others. What cannot be connected to is given up on as everywhere.
 */
const ERRORS_ARE_THE_ENGINES: BackendPart = {
  healthCheck: { passive: { ...GIVE_UP, consecutive5XxErrors: 2 ** 31 - 1 } },
};
