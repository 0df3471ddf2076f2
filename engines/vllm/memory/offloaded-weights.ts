/** Weights that vLLM moves from a GPU to host memory, before pinning: of the largest stage, GiB. */
import { toGiB } from "../../../names/units";
import { isOnStage, type PipelineStage, pipelineStages } from "../../../planner/memory/pipeline";
import { formatFor } from "../../../planner/model/format-names";
import { asMatrix } from "../../../planner/model/parameters";
import { checkpointMatrixBytes, type WeightFormat } from "../../../planner/model/quantization";
import { type ModelTensor, storedAs, tensorInventory } from "../../../planner/model/tensors";
import type { ServedModel } from "../../served-model";

type Weighed = Pick<ServedModel, "architecture" | "quantization">;

interface Layout {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
}

/**
 * Parameters of layers and tower move one by one until `gib` is reached, so the last exceeds it
 * (_maybe_offload_to_cpu in model_executor/offloader/uva.py of 0.17.0 to 0.33.0, models/utils.py of
 * 0.8.3 to 0.16.0).
 */
export function uvaWeightsGiB(model: Weighed, layout: Layout, gib: number): number {
  return mostOnStage(model, layout, (tensors, bytesOf) => {
    const parameters = new Map<string, number>();
    for (const tensor of tensors.filter(({ placement }) => !["embedding", "head"].includes(placement.at))) {
      parameters.set(tensor.fusedInto, (parameters.get(tensor.fusedInto) ?? 0) + bytesOf(tensor));
    }
    const sizes = [...parameters.values()].map(toGiB);
    const all = sizes.reduce((sum, size) => sum + size, 0);
    return Math.min(all, gib + sizes.reduce((most, size) => Math.max(most, size), 0));
  });
}

/**
 * The last `inGroup` of each `groupSize` layers of a stage (wrap_modules in
 * model_executor/offloader/prefetch.py of 0.17.0 to 0.33.0).
 */
export function offloadedLayersGiB(
  model: Weighed,
  layout: Layout,
  { groupSize, inGroup }: { readonly groupSize: number; readonly inGroup: number },
): number {
  return mostOnStage(model, layout, (tensors, bytesOf, { firstLayer }) =>
    toGiB(
      tensors
        .filter(({ placement }) =>
          placement.at === "layer"
            ? (placement.layer - firstLayer) % groupSize >= groupSize - inGroup
            : placement.at === "everywhere",
        )
        .reduce((sum, tensor) => sum + bytesOf(tensor), 0),
    ),
  );
}

function mostOnStage(
  { architecture, quantization }: Weighed,
  { tensorParallel, pipelineParallel }: Layout,
  measure: (tensors: readonly ModelTensor[], bytesOf: (tensor: ModelTensor) => number, stage: PipelineStage) => number,
): number {
  const format = formatFor(architecture, quantization);
  const loaded = tensorInventory(architecture).filter(({ part }) => part !== "multi-token-prediction");
  const bytesOf = (tensor: ModelTensor) => bytesOnGpu(tensor, format, tensorParallel);
  return Math.max(
    ...pipelineStages(architecture.layers, pipelineParallel).map((stage) =>
      measure(
        loaded.filter((tensor) => isOnStage(tensor, stage, stage.isFirst)),
        bytesOf,
        stage,
      ),
    ),
  );
}

/** In its format, split by tensor parallelism; the pinning margin covers kernel padding. */
function bytesOnGpu(tensor: ModelTensor, format: WeightFormat, tensorParallel: number): number {
  const { count, loadedCopies, split } = tensor;
  const each = storedAs(tensor, format)?.loadedBytes ?? checkpointMatrixBytes(format, asMatrix(tensor));
  const units = split.along === "rows" ? split.units : undefined;
  const parts = split.along === "none" ? 1 : Math.min(tensorParallel, units ?? tensorParallel);
  return (each * count * loadedCopies) / parts;
}
