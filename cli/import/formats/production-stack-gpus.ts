/** GPUs that the chart vllm-stack gives the pods of a model: templates deployment-vllm-multi.yaml and _helpers.tpl. */
import type { ModelDraft } from "../draft";
import { gpuVendor, readResources } from "../nodes-of-pods";
import { isMapping } from "../path";

/** Whether the template of Ray's clusters makes the model's pods. */
export function isOnRay({ ledger, at }: ModelDraft): boolean {
  return ledger.get(...at, "raySpec", "enabled") === true;
}

/** Fields of the chart that its template reads where `resources` is empty. */
const REQUESTS = ["requestCPU", "requestMemory", "limitCPU", "limitMemory", "requestGPU", "requestGPUType"];

/** Parts of a GPU: the device plugin that they are for gives one GPU where no field counts them. */
const PARTS = ["requestGPUMem", "requestGPUMemPercentage", "requestGPUCores", "limitGPUMem", "limitGPUCores"];

/** GPUs of a pod, and what else it asks of its node. Undefined: no field says how many. */
export function requestedGpus(model: ModelDraft): number | undefined {
  const { ledger, at, machine } = model;
  const own = ledger.get(...at, "resources");
  if (isMapping(own) && Object.keys(own).length > 0) {
    const gpus = readResources(own, machine);
    ledger.mapped([...at, "resources"], "models.*.vllm.tensorParallel");
    for (const field of REQUESTS) {
      ledger.changed([...at, field], "the chart takes resources in its place");
    }
    return gpus ?? unrequested(model);
  }
  const gpus = ledger.number(...at, "requestGPU");
  const type = ledger.text(...at, "requestGPUType") ?? "nvidia.com/gpu";
  const requests = { cpu: ledger.get(...at, "requestCPU"), memory: ledger.get(...at, "requestMemory") };
  readResources({ requests, limits: gpus === undefined ? {} : { [type]: gpus } }, machine);
  ledger.mapped([...at, "requestGPUType"], machine.mig === undefined ? "pools.*.node.card" : "pools.*.sharing.mig");
  if (gpus === undefined) {
    const hasPart = PARTS.some((field) => ledger.get(...at, field) !== undefined);
    machine.vendor = "nvidia";
    return hasPart ? 1 : unrequested(model);
  }
  machine.vendor = gpus === 0 ? "cpu" : (gpuVendor(type) ?? "nvidia");
  if (gpus > 0 && gpus < 1) {
    ledger.wrong(
      [...at, "requestGPU"],
      `the chart makes whole numbers of GPUs: of ${gpus} it makes none, and the pod gets no GPU`,
    );
  } else {
    ledger.mapped([...at, "requestGPU"], gpus === 0 ? "pools.*.role" : "models.*.vllm.tensorParallel");
  }
  return gpus;
}

/** A pod that asks for no GPU sees its node's all the same, by the runtime class that the chart gives it. */
function unrequested({ ledger, at, machine }: ModelDraft): number | undefined {
  const places = [at, ["servingEngineSpec"]].map((place) => [...place, "runtimeClassName"]);
  const [runtime = "nvidia"] = places.map((place) => ledger.get(...place)).filter((name) => name !== undefined);
  machine.vendor = runtime === "" || runtime === null ? "cpu" : "nvidia";
  ledger.changed(
    at,
    machine.vendor === "cpu"
      ? "no field asks for a GPU, nor gives its pods a runtime class that shows them one: it runs on processors"
      : "no field asks for a GPU, and the runtime class of its pods shows them all of the node's: the plan takes those that the model needs",
    machine.vendor === "cpu" ? "pools.*.role" : "pools.*.node.card",
  );
  return undefined;
}
