/** GPUs of a replica of KServe, and how they share the model. */
import type { ModelDraft } from "../draft";
import { isMapping, type Path } from "../path";

/** Nodes of one replica, each with GPUs, as the runtimes of KServe count them where the service does not. */
export function readWorkers(model: ModelDraft, at: Path): void {
  const { ledger, block, machine } = model;
  if (!isMapping(ledger.get(...at))) {
    return;
  }
  machine.vendor ??= "nvidia";
  block.tensorParallel ??= 1;
  block.pipelineParallel ??= 1;
  readSizes(model, at, { tensorParallelSize: "tensorParallel", pipelineParallelSize: "pipelineParallel" });
  // Ray spreads tensor parallelism over nodes: a pod has a part of its GPUs.
  const { gpus, ...original } = model.original;
  if (gpus !== undefined && Number(block.tensorParallel) > gpus) {
    model.original = original;
  }
}

/** KServe's server for Hugging Face models spreads a model over all GPUs of its pod, whatever its flags say. */
export function takeAllGpus({ ledger, block, original: { gpus }, places }: ModelDraft): void {
  if (gpus === undefined || gpus === 0 || block.tensorParallel === gpus) {
    return;
  }
  const stated = places.get("vllm.tensorParallel");
  if (stated !== undefined) {
    const why = `KServe's server takes all GPUs of the pod, ${gpus}, in place of ${String(block.tensorParallel)}`;
    ledger.correct("models.*.vllm.tensorParallel", stated, why);
  }
  if (gpus > 1 || stated !== undefined) {
    block.tensorParallel = gpus;
  }
}

/** Sizes of groups of GPUs, by their fields in the document. */
export function readSizes(
  { ledger, block, machine }: ModelDraft,
  at: Path,
  keys: Readonly<Record<string, string>>,
): void {
  for (const [field, key] of Object.entries(keys)) {
    const size = ledger.number(...at, field);
    if (size !== undefined && !(Number.isInteger(size) && size > 0)) {
      ledger.wrong([...at, field], `a whole number above 0 is needed here, and is ${size}`);
    } else if (size !== undefined) {
      block[key] = size;
      machine.vendor ??= "nvidia";
      ledger.mapped([...at, field], `models.*.vllm.${key}`);
    }
  }
}

/** GPUs that a claim of dynamic resource allocation asks for. */
export function readDevices(model: ModelDraft): void {
  const { ledger, machine } = model;
  const at = (name: string): Path => ["metadata", "annotations", `serving.kserve.io/exp-dra-device-${name}`];
  const driver = ledger.text(...at("class"));
  if (driver !== undefined) {
    model.original = { ...model.original, gpus: ledger.number(...at("count")) ?? 1 };
    machine.vendor = driver.includes("amd") ? "amd" : "nvidia";
    ledger.changed(at("class"), "GPUs come from device plugins", "pools.*.node.card");
    ledger.mapped(at("count"), "models.*.vllm.tensorParallel");
  }
}
