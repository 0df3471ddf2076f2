/** One application of `ray.serve.llm`. End-to-end tests check it with Ray. */
import { SERVE_PORT } from "../../engines/ray";
import { rayEngineArgument } from "../../engines/ray/options";
import { vllmVersionOf } from "../../engines/ray/releases";
import { argumentsFor } from "../../engines/vllm/releases";
import type { ModelPlan } from "../../planner/types";
import { engineArguments } from "./vllm-args";

/** `ServeDeploySchema` of ray.serve.schema (2.56.0) with `LLMServingArgs` of ray.serve.llm. */
export interface ServeConfig {
  readonly proxy_location: "EveryNode";
  readonly http_options: { readonly host: string; readonly port: number };
  readonly applications: readonly {
    readonly name: string;
    readonly route_prefix: "/";
    readonly import_path: "ray.serve.llm:build_openai_app";
    readonly args: {
      readonly llm_configs: readonly LlmConfig[];
      /** API in front of engines. Without a number it scales itself. */
      readonly ingress_deployment_config: { readonly num_replicas: number };
    };
  }[];
}

interface LlmConfig {
  readonly model_loading_config: { readonly model_id: string; readonly model_source: string };
  readonly engine_kwargs: Readonly<Record<string, unknown>>;
  readonly placement_group_config: {
    readonly bundle_per_worker: { readonly GPU: number };
    readonly strategy: "STRICT_PACK";
  };
  readonly deployment_config: { readonly num_replicas: number; readonly graceful_shutdown_timeout_s: number };
  /** vLLM's series through Ray's own endpoint. */
  readonly log_engine_metrics: true;
}

/** @param location folder or `s3://` URI. */
export function serveConfig(model: ModelPlan, location: string): ServeConfig {
  return {
    proxy_location: "EveryNode",
    http_options: { host: "0.0.0.0", port: SERVE_PORT },
    applications: [
      {
        name: model.name,
        route_prefix: "/",
        import_path: "ray.serve.llm:build_openai_app",
        args: {
          llm_configs: [
            {
              model_loading_config: { model_id: model.servedName, model_source: location },
              engine_kwargs: engineKwargs(model),
              // One bundle per GPU, on one node.
              placement_group_config: { bundle_per_worker: { GPU: 1 }, strategy: "STRICT_PACK" },
              deployment_config: {
                num_replicas: model.minReplicas,
                graceful_shutdown_timeout_s: model.drainSeconds,
              },
              log_engine_metrics: true,
            },
          ],
          ingress_deployment_config: { num_replicas: model.minReplicas },
        },
      },
    ],
  };
}

/** Planned and user settings as constructor arguments. */
function engineKwargs(model: ModelPlan): Record<string, unknown> {
  const decided = Object.entries(argumentsFor(vllmVersionOf(model.engineVersion), engineArguments(model)));
  const given = Object.entries(model.args ?? {}).map(([name, value]) => rayEngineArgument(name, value));
  return Object.fromEntries([...decided, ...given].map(([name, value]) => [name.replaceAll("-", "_"), value]));
}
