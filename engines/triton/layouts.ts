import { mixersOf } from "../../planner/model/architecture";
import type { LayoutRequest } from "../memory-request";

/** Empty if TensorRT-LLM can divide a model this way. */
export function tritonLayoutProblems({ architecture, tensorParallel, pipelineParallel }: LayoutRequest): string[] {
  const problems: string[] = [];
  if (pipelineParallel > 1) {
    problems.push("the platform plans tensor parallelism alone for TensorRT-LLM");
  }
  const mixers = architecture.layerSpecs.flatMap(mixersOf);
  const heads = new Set(mixers.flatMap((mixer) => ("heads" in mixer ? [mixer.heads] : [])));
  for (const count of heads) {
    if (count % tensorParallel !== 0) {
      problems.push(`${count} attention heads do not divide by a tensor parallelism of ${tensorParallel}`);
    }
  }
  const groups = new Set(mixers.flatMap((mixer) => (mixer.kind === "attention" ? [mixer.kvHeads] : [])));
  for (const count of groups) {
    if (count % tensorParallel !== 0 && tensorParallel % count !== 0) {
      problems.push(`${count} KV heads neither divide by a tensor parallelism of ${tensorParallel} nor divide it`);
    }
  }
  return problems;
}
