/** GPUs of the chart vllm-stack: templates deployment-vllm-multi.yaml and _helpers.tpl. */
import type { ModelDraft } from "../draft";
import { gpuVendor, readResources } from "../nodes-of-pods";
import { isMapping } from "../path";

/** Whether Ray's template creates the pods. */
export function isOnRay({ ledger, at }: ModelDraft): boolean {
  return ledger.get(...at, "raySpec", "enabled") === true;
}

/** Read by the template if `resources` is empty. */
const REQUESTS = ["requestCPU", "requestMemory", "limitCPU", "limitMemory", "requestGPU", "requestGPUType"];

/** GPU shares: without a count, their device plugin gives one GPU. */
const PARTS = ["requestGPUMem", "requestGPUMemPercentage", "requestGPUCores", "limitGPUMem", "limitGPUCores"];

/** Undefined: no field states a number. */
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

/** Without a request, the runtime class still exposes the node's GPUs. */
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
