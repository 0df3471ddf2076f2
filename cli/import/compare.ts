/** Compares the plan with the original. */
import type { ModelPlan } from "../../planner/types";
import type { ModelDraft } from "./draft";
import { isCreated, type SettledModel } from "./environment";
import { partsOf } from "./pools";
import { firstLine, isOriginals, refusalOf, type Settled, TOO_LARGE } from "./settle";

/** Fields of recipes about nodes, which the stack creates or finds. */
const MADE_NODES: Readonly<Record<string, string>> = {
  recipe_availability_domain: "pools.*.availabilityDomains",
  recipe_node_image_ocid: "pools.*.image",
  shared_node_pool_boot_volume_size_in_gbs: "pools.*.bootVolumeGiB",
};

export function noteMadeNodes(settled: Settled): void {
  if (isCreated(settled)) {
    for (const { ledger } of settled.draft.pools) {
      Object.entries(MADE_NODES).forEach(([field, to]) => void ledger.mapped([field], to));
    }
  }
}

export function compareWithOriginal(settled: Settled): void {
  const { decision, models } = settled;
  if (decision.kind !== "planned") {
    return;
  }
  for (const model of models) {
    const plan = decision.plan.models.find(({ name }) => name === model.key);
    if (plan === undefined) {
      refused(settled, model);
    } else {
      layout(model.draft, plan);
      volume(model.draft, plan);
    }
  }
}

function refused(settled: Settled, model: SettledModel): void {
  const { ledger, at } = model.draft;
  const refusal = refusalOf(settled, model);
  if (refusal === undefined) {
    return;
  }
  const why = firstLine(refusal.message);
  if (refusal.rule === TOO_LARGE && isOriginals(settled, model)) {
    ledger.wrong(at, `it does not run as written: ${why}`);
  } else {
    ledger.lost(at, `the plan refuses it, with what was changed, left out or chosen here: ${why}`);
  }
}

function layout(draft: ModelDraft, plan: ModelPlan): void {
  const { ledger, at, original } = draft;
  const { tensorParallel, pipelineParallel, gpus } = original;
  if (tensorParallel !== undefined && tensorParallel !== plan.tensorParallel && plan.gpuModel !== undefined) {
    ledger.changed(
      at,
      `the plan takes tensor parallelism ${plan.tensorParallel} in place of ${tensorParallel}`,
      "models.*.vllm.tensorParallel",
    );
  }
  if (pipelineParallel !== undefined && pipelineParallel !== plan.pipelineParallel && plan.gpuModel !== undefined) {
    ledger.changed(
      at,
      `the plan takes pipeline parallelism ${plan.pipelineParallel} in place of ${pipelineParallel}`,
      "models.*.vllm.pipelineParallel",
    );
  }
  const used =
    tensorParallel === undefined ? undefined : tensorParallel * (pipelineParallel ?? 1) * Math.max(draft.ranks, 1);
  if (gpus !== undefined && used !== undefined && gpus > used) {
    ledger.wrong(at, `a pod has ${gpus} GPUs, and the engine uses ${used}: the others are idle`);
  } else if (gpus !== undefined && used === undefined && gpus > plan.gpusPerNode && plan.gpuModel !== undefined) {
    ledger.changed(at, `a pod has ${gpus} GPUs, and the plan takes ${plan.gpusPerNode} of them`);
  }
  const replicas = draft.replicas.min * partsOf(draft);
  if (replicas !== plan.minReplicas) {
    ledger.changed(at, `the plan has ${plan.minReplicas} replicas in place of ${replicas}`, "models.*.replicas.min");
  }
}

function volume({ ledger, volumeGB }: ModelDraft, { weightsGB }: ModelPlan): void {
  if (volumeGB !== undefined && volumeGB.size < weightsGB) {
    ledger.wrong(
      volumeGB.at,
      `the volume of ${volumeGB.size} GB is smaller than the weights, which are ${Math.round(weightsGB)} GB`,
    );
  }
}
