import { GatewayControllers, type GatewayControllersArgs } from "../../../components/gateway/gateway-controllers";
import { InferenceGateway, type InferenceGatewayArgs } from "../../../components/gateway/inference-gateway";
import { type Published, publishedEndpoint } from "../../../components/gateway/published";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { engineOf } from "../../../engines";
import { requestTimes } from "../../../planner/request-times";
import { tenantsOf } from "../../../planner/tenants";
import { type Deployment, deploy } from "../../harness/deploy";

/** Where a model answers; named after the model. */
export function endpoint(model: string, overrides: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return {
    readyPath: engineOf(overrides.engine ?? "vllm").health.ready,
    model,
    servedName: model,
    engine: "vllm",
    task: "chat",
    namespace: `model-${model}`,
    service: `${model}-server`,
    ports: { openai: 8000 },
    podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": model },
    scale: { apiVersion: "apps/v1", kind: "Deployment", name: `${model}-server` },
    ...overrides,
  };
}

/** A model of the cluster as the gateway publishes it. */
export function published(model: string, overrides: Partial<ModelEndpoint> = {}): Published {
  return publishedEndpoint({ ...endpoint(model, overrides), ports: { openai: 8000 } });
}

export const ENDPOINTS: readonly ModelEndpoint[] = [
  endpoint("legal", { servedName: "meta-llama/Llama-3.1-8B-Instruct" }),
  endpoint("embeddings", { servedName: "bge-m3", engine: "ollama", task: "embedding", ports: { openai: 11434 } }),
  endpoint("ranking", { servedName: "bge-reranker-v2-m3", task: "rerank" }),
];

export interface DeployedGateway {
  readonly deployment: Deployment;
  readonly gateway: InferenceGateway;
}

/** A gateway with defaults that a test overrides where it looks. */
export async function deployGateway(
  overrides: Partial<Omit<InferenceGatewayArgs, "controllers">> = {},
  controllers: Partial<GatewayControllersArgs> = {},
): Promise<DeployedGateway> {
  const made: InferenceGateway[] = [];
  const deployment = await deploy(() => {
    made.push(
      new InferenceGateway("gateway", {
        controllers: new GatewayControllers("controllers", {
          stage: "production",
          ...controllers,
        }),
        endpoints: ENDPOINTS,
        hostname: "llm.example.com",
        exposure: "LoadBalancer",
        tls: { kind: "acme", email: "platform@example.com" },
        tenants: tenantsOf(["default", "team-a"]),
        stage: "production",
        times: requestTimes({}),
        limits: { maxRequestBytes: 4 * 2 ** 20, parallelRequests: 307, proxyMemoryGiB: 2 },
        freeRequests: { byModel: { legal: 8, embeddings: 1 }, elsewhere: 153 },
        ...overrides,
      }),
    );
  });
  const [gateway] = made;
  if (gateway === undefined) {
    throw new Error("the program made no gateway");
  }
  return { deployment, gateway };
}

/** Spec of the one custom resource of a kind and name. */
export function specOf(deployment: Deployment, kind: string, name: string): unknown {
  const named = deployment.ofKind(kind).filter(({ inputs }) => (inputs.metadata as { name?: string }).name === name);
  const [only] = named;
  if (only === undefined || named.length > 1) {
    throw new Error(`${named.length} resources of kind ${kind} are named "${name}"`);
  }
  return only.inputs.spec;
}
