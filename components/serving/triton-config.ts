/** Repository files for a checkpoint, by path. */
import { batchSize, MAX_BATCHED_TOKENS } from "../../engines/triton/limits";
import { llmapiConfig, llmapiYaml } from "../../engines/triton/llmapi";
import { cacheFraction } from "../../engines/triton/memory";
import { configText } from "../../engines/triton/model-config";
import { tritonOwnSettings } from "../../engines/triton/settings";
import type { ModelPlan } from "../../planner/types";

export interface RepositoryFiles {
  /** For Triton. */
  readonly "config.pbtxt": string;
  /** For TensorRT-LLM; its place is the model's only version. */
  readonly "model.yaml": string;
}

/**
 * @param checkpoint folder of the weights.
 * @throws Error for fields unknown to Triton, which validation refuses earlier.
 */
export function repositoryFiles(model: ModelPlan, checkpoint: string): RepositoryFiles {
  return {
    "config.pbtxt": configText(llmapiConfig(model.servedName, tritonOwnSettings(model).modelConfig)),
    "model.yaml": llmapiYaml({
      model: checkpoint,
      tensorParallel: model.tensorParallel,
      maxSequenceTokens: model.contextTokens,
      maxBatchSize: batchSize(model),
      maxBatchedTokens: MAX_BATCHED_TOKENS,
      cacheFraction: cacheFraction(model),
      cacheDtype: model.kvCacheDtype === "fp8" ? "fp8" : "auto",
    }),
  };
}
