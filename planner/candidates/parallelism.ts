import { engineOf, settingPath } from "../../engines";
import { layoutProblems } from "../../engines/estimate";
import { type Layout, layouts } from "../layouts";
import type { ModelRequest } from "../request";

/** Layouts that the model's settings allow, smallest first. */
export function layoutsFor(model: ModelRequest, gpusOnNode: number, maxNodes: number): Layout[] {
  const { tensor } = engineOf(model.engine).parallelism;
  return layouts({
    gpusOnNode,
    maxNodes,
    layers: model.architecture.layers,
    tensorParallel: tensor ? model.tensorParallel : 1,
    pipelineParallel: model.pipelineParallel,
  });
}

/** Other values for a pinned parallelism; undefined where it is not the cause. */
export function parallelismRemedy(model: ModelRequest, gpusOnNode: number, maxNodes: number): string | undefined {
  const { name, engine, tensorParallel, pipelineParallel } = model;
  const tensorKey = settingPath(engine, "tensorParallel");
  const stageKey = settingPath(engine, "pipelineParallel");
  const possible = (pinned: Partial<ModelRequest>) =>
    layoutsFor({ ...model, ...pinned }, gpusOnNode, maxNodes).filter(
      (layout) => layoutProblems(model.engine, { ...model, ...layout }).length === 0,
    );
  const tensors = possible({ tensorParallel: undefined }).map((layout) => layout.tensorParallel);
  const stages = possible({ pipelineParallel: undefined }).map((layout) => layout.pipelineParallel);
  const withStages = pipelineParallel === undefined ? 0 : (tensorParallel ?? 1) * Math.max(0, ...stages);
  // Of two settings, change the one that leaves the model more GPUs.
  if (
    tensorParallel !== undefined &&
    tensors.length > 0 &&
    Math.max(...tensors) * (pipelineParallel ?? 1) >= withStages
  ) {
    return `write models.${name}.${tensorKey}: ${either(tensors)}, or remove it`;
  }
  if (pipelineParallel !== undefined && stages.length > 0) {
    return `write models.${name}.${stageKey}: ${either(stages)}, or remove it`;
  }
  const isPinned = tensorParallel !== undefined || pipelineParallel !== undefined;
  return isPinned ? `remove ${tensorKey} and ${stageKey} of models.${name}` : undefined;
}

/** "1, 2 or 4", from any order. */
function either(values: readonly number[]): string {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const last = sorted.pop();
  return sorted.length > 0 ? `${sorted.join(", ")} or ${last}` : String(last);
}
