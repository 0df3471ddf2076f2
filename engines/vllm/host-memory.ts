/** Host memory of vLLM options by release; sources: host-memory.json. */

import { isWithin, type ReleaseSpan } from "../../catalog/engine-releases";
import { counted } from "../../names/counted";
import { wholeNumber } from "../../names/whole-number";
import type { HostMemoryUse, PodOfReplica } from "../host-memory";
import type { ServedModel } from "../served-model";
import rules from "./host-memory.json";
import { amount, gibOf, type KvConnector, kvConnectors } from "./kv-connectors";
import { offloadedLayersGiB, uvaWeightsGiB } from "./memory/offloaded-weights";

type Told = Pick<ServedModel, "engineVersion" | "architecture" | "quantization" | "args" | "env">;

const regions: Readonly<Record<"nvidia" | "amd", ReleaseSpan>> = rules.region;
const LMCACHE_SIZE = "LMCACHE_MAX_LOCAL_CPU_SIZE";

export function vllmHostMemory(model: Told, pod: PodOfReplica): readonly HostMemoryUse[] {
  return [...movedFromGpus(model, pod), ...mediaCache(model), ...swapSpace(model, pod)];
}

/** Options that move blocks or weights from GPUs to host memory; no effect without GPUs. */
export function movedFromGpus(model: Told, pod: PodOfReplica): readonly HostMemoryUse[] {
  return [...offloadedBlocks(model, pod), ...connectors(model, pod), ...offloadedWeights(model, pod)].filter(
    ({ memoryGiB }) => memoryGiB > 0,
  );
}

/**
 * The size replaces the connector of kv-transfer-config, and keeps its other settings
 * (_post_init_kv_transfer_config in config/vllm.py of 0.14.0 to 0.33.0).
 */
function offloadedBlocks(model: Told, pod: PodOfReplica): HostMemoryUse[] {
  const gib = offloadedGiB(model);
  const [{ extra } = { extra: {} }] = kvConnectors(model.args?.["kv-transfer-config"]);
  const name = isSwitchedOn(model.env?.VLLM_USE_SIMPLE_KV_OFFLOAD)
    ? "SimpleCPUOffloadConnector"
    : "OffloadingConnector";
  const option = "args.kv-offloading-size";
  const told = { ...extra, cpu_bytes_to_use: gib * 2 ** 30 };
  return gib === 0 ? [] : [keptBlocks(option, { name, extra: told }, model, pod)];
}

function offloadedGiB({ args }: Told): number {
  return amount(args?.["kv-offloading-size"]) ?? 0;
}

function connectors(model: Told, pod: PodOfReplica): HostMemoryUse[] {
  const option = "args.kv-transfer-config";
  if (offloadedGiB(model) > 0) {
    return [];
  }
  return kvConnectors(model.args?.["kv-transfer-config"]).flatMap((connector) => {
    if (connector.name.startsWith("LMCacheConnector")) {
      return [ofLmcache(connector, model, pod)];
    }
    return ["OffloadingConnector", "SimpleCPUOffloadConnector"].includes(connector.name)
      ? [keptBlocks(option, connector, model, pod)]
      : [];
  });
}

/** The size applies to a replica: all workers on all nodes together. */
function keptBlocks(
  option: string,
  { name, extra }: KvConnector,
  { engineVersion }: Told,
  { processes, tensorParallel, pipelineParallel, gpuVendor = "nvidia" }: PodOfReplica,
): HostMemoryUse {
  const workers = tensorParallel * pipelineParallel;
  const here = processes / workers;
  const gib = gibOf(extra.cpu_bytes_to_use);
  if (name === "SimpleCPUOffloadConnector") {
    const each = gibOf(extra.cpu_bytes_to_use_per_rank) ?? (gib ?? rules.simple.defaultGiB) / workers;
    return {
      option,
      memoryGiB: processes * each,
      sharedMemoryGiB: 0,
      how: `${counted(processes, "worker")} × ${text(each)}`,
    };
  }
  const size = gib ?? 0;
  const isTiered = extra.spec_name !== undefined && extra.spec_name !== "CPUOffloadingSpec";
  if (isWithin(isTiered ? rules.tieredRegion : regions[gpuVendor], engineVersion)) {
    const nodes = here < 1 ? ", whole in each of the replica's pods" : "";
    return { option, memoryGiB: size, sharedMemoryGiB: size, how: `one file${nodes}` };
  }
  const { factor } = rules.pinned;
  const how = `${factor} × ${text(size * here)}: each tensor is rounded up to a power of two`;
  return { option, memoryGiB: factor * size * here, sharedMemoryGiB: 0, how };
}

function ofLmcache({ extra }: KvConnector, { env = {} }: Told, { processes }: PodOfReplica): HostMemoryUse {
  const told = amount(extra["lmcache.max_local_cpu_size"]);
  const each = told ?? amount(env[LMCACHE_SIZE]) ?? rules.lmcache.defaultGiB;
  const isOfVariable = told === undefined && env[LMCACHE_SIZE] !== undefined;
  return {
    option: isOfVariable ? `env.${LMCACHE_SIZE}` : "args.kv-transfer-config",
    memoryGiB: processes * each,
    sharedMemoryGiB: 0,
    how: `${counted(processes, "worker")} × ${text(each)}`,
  };
}

/**
 * Per GPU: cpu-offload-gb moves parameters up to its size; the others move layers
 * (config/offload.py of 0.17.0 to 0.33.0).
 */
function offloadedWeights(model: Told, pod: PodOfReplica): HostMemoryUse[] {
  const { args = {} } = model;
  const { processes } = pod;
  const backend = args["offload-backend"] ?? "auto";
  const groupSize = wholeNumber(args["offload-group-size"]) ?? 0;
  const gib = amount(args["cpu-offload-gb"]) ?? 0;
  if (groupSize > 0 && backend !== "uva") {
    const { factor } = rules.prefetch;
    const each = offloadedLayersGiB(model, pod, { groupSize, inGroup: wholeNumber(args["offload-num-in-group"]) ?? 1 });
    const how = `${counted(processes, "GPU")} × ${factor} × ${text(each)}: tensors are rounded up to powers of two, and there twice while vLLM loads`;
    return [{ option: "args.offload-group-size", memoryGiB: factor * processes * each, sharedMemoryGiB: 0, how }];
  }
  if (gib === 0 || backend === "prefetch") {
    return [];
  }
  const { factor } = rules.pinned;
  const each = uvaWeightsGiB(model, pod, gib);
  const how = `${counted(processes, "GPU")} × ${factor} × ${text(each)}: each tensor is rounded up to a power of two, and the last may go beyond the size`;
  return [{ option: "args.cpu-offload-gb", memoryGiB: factor * processes * each, sharedMemoryGiB: 0, how }];
}

function mediaCache({ engineVersion, architecture, args = {}, env = {} }: Told): HostMemoryUse[] {
  const older = isWithin({ until: "0.10.0" }, engineVersion) ? amount(env.VLLM_MM_INPUT_CACHE_GIB) : undefined;
  const told = amount(args["mm-processor-cache-gb"]) ?? older;
  const servers = wholeNumber(args["api-server-count"]) ?? 1;
  const isShared = args["mm-processor-cache-type"] === "shm" && servers === 1;
  const isAsked = told !== undefined || isShared || (servers > 1 && architecture.vision !== undefined);
  const size = told ?? rules.media.defaultGiB;
  if (!isAsked || size === 0) {
    return [];
  }
  const option =
    older !== undefined
      ? "env.VLLM_MM_INPUT_CACHE_GIB"
      : told !== undefined
        ? "args.mm-processor-cache-gb"
        : isShared
          ? "args.mm-processor-cache-type"
          : "args.api-server-count";
  if (isShared) {
    return [{ option, memoryGiB: size, sharedMemoryGiB: size, how: "one buffer" }];
  }
  const how = `${text(size)} in ${servers === 1 ? "the API's process" : `each of ${servers} API processes`} and in the engine's`;
  return [{ option, memoryGiB: (servers + 1) * size, sharedMemoryGiB: 0, how }];
}

/** The V1 engine does not use it, but refuses too large values. */
function swapSpace({ engineVersion, args = {} }: Told, { tensorParallel }: PodOfReplica): HostMemoryUse[] {
  const gib = isWithin(rules.swapSpace, engineVersion) ? (amount(args["swap-space"]) ?? 0) : 0;
  const machineGiB = (gib * tensorParallel) / rules.swapSpace.mostOfMachine;
  const how = `vLLM counts ${text(gib * tensorParallel)}, and does not start on machines with less than ${text(machineGiB)}`;
  return gib === 0 ? [] : [{ option: "args.swap-space", memoryGiB: 0, sharedMemoryGiB: 0, how, machineGiB }];
}

/** Same as Python's `bool(int(text))`. */
function isSwitchedOn(value: string | undefined): boolean {
  return value !== undefined && Number(value) !== 0;
}

function text(gib: number): string {
  return `${Number(gib.toFixed(2))} GiB`;
}
