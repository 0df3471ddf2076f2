/** GPUs of a KServe replica, and their parallelism. */
import type { ModelDraft } from "../draft";
import { isMapping, type Path } from "../path";

/** Nodes and GPUs of a replica; KServe's runtimes have defaults. */
export function readWorkers(model: ModelDraft, at: Path): void {
  const { ledger, block, machine } = model;
  if (!isMapping(ledger.get(...at))) {
    return;
  }
  machine.vendor ??= "nvidia";
  block.tensorParallel ??= 1;
  block.pipelineParallel ??= 1;
  readSizes(model, at, { tensorParallelSize: "tensorParallel", pipelineParallelSize: "pipelineParallel" });
  // Ray spreads tensor parallelism over nodes: a pod has part of the GPUs.
  const { gpus, ...original } = model.original;
  if (gpus !== undefined && Number(block.tensorParallel) > gpus) {
    model.original = original;
  }
}

/** KServe's Hugging Face server uses all GPUs of its pod, whatever its flags. */
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

/** GPUs of a claim of dynamic resource allocation. */
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
