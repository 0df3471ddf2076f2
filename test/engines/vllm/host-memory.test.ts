import { describe, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { PodOfReplica } from "../../../engines/host-memory";
import { vllmBlock, vllmSettings } from "../../../engines/vllm/settings";
import type { ModelRequest } from "../../../planner/request";
import { modelOf } from "../../planner/fixtures";

const alone: PodOfReplica = { processes: 1, tensorParallel: 1, pipelineParallel: 1, gpuVendor: "nvidia" };
const four: PodOfReplica = { ...alone, processes: 4, tensorParallel: 4 };
/** One of two pods of a replica. */
const half: PodOfReplica = { ...alone, processes: 8, tensorParallel: 8, pipelineParallel: 2 };

function taken(changes: Partial<ModelRequest>, pod = alone, model = "qwen2.5-7b-instruct") {
  const asked = modelOf(model, changes);
  const uses = engineOf(asked.engine).hostMemory?.(asked, pod) ?? [];
  return uses.map(({ option, memoryGiB, sharedMemoryGiB }) => [option, memoryGiB, sharedMemoryGiB]);
}

describe("kv-offloading-size", () => {
  const args = { "kv-offloading-size": 24 };
  const option = "args.kv-offloading-size";

  it.each([
    ["0.14.0", alone, 48, 0],
    ["0.26.0", four, 48, 0],
    ["0.26.0", half, 24, 0],
    ["0.27.0", alone, 24, 24],
    ["0.33.0", four, 24, 24],
    ["0.33.0", half, 24, 24],
    ["0.30.0", { ...alone, gpuVendor: "amd" }, 24, 24],
    ["0.31.0", { ...alone, gpuVendor: "amd" }, 48, 0],
  ] as const)("is a replica's: on %s, of a pod %o", (engineVersion, pod, memory, shared) => {
    expect(taken({ engineVersion, args }, pod)).toEqual([[option, memory, shared]]);
  });

  it("is the size itself with vLLM's simple connector, of each worker's part", () => {
    const env = { VLLM_USE_SIMPLE_KV_OFFLOAD: "1" };
    expect(taken({ args, env }, four)).toEqual([[option, 24, 0]]);
    expect(taken({ args, env }, half)).toEqual([[option, 12, 0]]);
    expect(taken({ args, env: { VLLM_USE_SIMPLE_KV_OFFLOAD: "0" } })).toEqual([[option, 24, 24]]);
  });

  it("takes the place of the connectors of kv-transfer-config, and leaves their other settings", () => {
    const beside = (kv_connector: string, kv_connector_extra_config: object) => ({
      args: { ...args, "kv-transfer-config": { kv_connector, kv_role: "kv_both", kv_connector_extra_config } },
    });
    expect(taken(beside("OffloadingConnector", { cpu_bytes_to_use: "8G" }))).toEqual([[option, 24, 24]]);
    expect(taken(beside("LMCacheConnectorV1", {}))).toEqual([[option, 24, 24]]);
    const parts = [{ kv_connector: "OffloadingConnector", kv_connector_extra_config: { cpu_bytes_to_use: "8G" } }];
    expect(taken(beside("MultiConnector", { connectors: parts }))).toEqual([[option, 24, 24]]);
    const tiered = {
      ...beside("OffloadingConnector", { spec_name: "TieringOffloadingSpec" }),
      engineVersion: "0.25.0",
    };
    expect(taken(tiered)).toEqual([[option, 24, 24]]);
  });

  it("is that of the vLLM in Ray", () => {
    expect(taken({ engine: "ray", engineVersion: "2.56.0", args })).toEqual([[option, 48, 0]]);
    expect(taken({ engine: "ray", engineVersion: "2.60.0", args })).toEqual([[option, 24, 24]]);
  });
});

describe("kv-transfer-config", () => {
  const option = "args.kv-transfer-config";
  const config = (kv_connector: string, kv_connector_extra_config: object = {}) => ({
    args: { "kv-transfer-config": { kv_connector, kv_role: "kv_both", kv_connector_extra_config } },
  });

  it("is read as a mapping and as JSON, in a MultiConnector too", () => {
    const own = config("OffloadingConnector", { cpu_bytes_to_use: "8G" });
    expect(taken(own)).toEqual([[option, 8, 8]]);
    expect(taken({ args: { [option.slice(5)]: JSON.stringify(own.args["kv-transfer-config"]) } })).toEqual([
      [option, 8, 8],
    ]);
    const connectors = [own, config("LMCacheConnectorV1")].map(({ args }) => args["kv-transfer-config"]);
    expect(taken(config("MultiConnector", { connectors }))).toEqual([
      [option, 8, 8],
      [option, 5, 0],
    ]);
    expect(taken(config("NixlConnector"))).toEqual([]);
  });

  it("has tiers in /dev/shm before blocks alone are there", () => {
    const tiers = config("OffloadingConnector", { cpu_bytes_to_use: 2 ** 33, spec_name: "TieringOffloadingSpec" });
    expect(taken({ ...tiers, engineVersion: "0.22.0" })).toEqual([[option, 8, 8]]);
  });

  it("has a worker's part, or a replica's, with the simple connector", () => {
    const simple = (extra: object) => taken(config("SimpleCPUOffloadConnector", extra), half);
    expect(simple({})).toEqual([[option, 4, 0]]);
    expect(simple({ cpu_bytes_to_use: "32G" })).toEqual([[option, 16, 0]]);
    expect(simple({ cpu_bytes_to_use_per_rank: "3G" })).toEqual([[option, 24, 0]]);
  });

  it("has LMCache's memory in each worker: of the flag, the variable, or its default", () => {
    const env = { LMCACHE_MAX_LOCAL_CPU_SIZE: "20", LMCACHE_LOCAL_CPU: "False" };
    expect(taken(config("LMCacheConnectorV1"), four)).toEqual([[option, 20, 0]]);
    expect(taken({ ...config("LMCacheConnectorV1"), env }, four)).toEqual([["env.LMCACHE_MAX_LOCAL_CPU_SIZE", 80, 0]]);
    const flag = config("LMCacheConnectorV1", { "lmcache.max_local_cpu_size": 2.5 });
    expect(taken({ ...flag, env }, half)).toEqual([[option, 20, 0]]);
    expect(taken({ env })).toEqual([]);
  });
});

describe("weights that are moved", () => {
  it("are a GPU's by cpu-offload-gb, pinned, and the last parameter whole", () => {
    // gate_up_proj, in 16 bits.
    const largest = (2 * 18_944 * 3584 * 2) / 2 ** 30;
    expect(taken({ args: { "cpu-offload-gb": 4 } })).toEqual([["args.cpu-offload-gb", 2 * (4 + largest), 0]]);
    const [[, onFour] = []] = taken({ args: { "cpu-offload-gb": 2 } }, four);
    expect(onFour).toBeCloseTo(4 * 2 * (2 + largest / 4), 6);
  });

  /** GiB of so many of the 28 layers, of 233,057,792 parameters each. */
  const layers = (count: number, factor: number) => (factor * count * 233_057_792 * 2) / 2 ** 30;

  it("are no more than the layers", () => {
    const [[, memory] = []] = taken({ args: { "cpu-offload-gb": 500 } });
    expect(memory).toBeCloseTo(layers(28, 2), 6);
  });

  it("are the last layers of each group, pinned twice, and not the words", () => {
    const grouped = { "offload-group-size": 8, "offload-num-in-group": 2, "cpu-offload-gb": 4 };
    expect(taken({ args: grouped })).toEqual([["args.offload-group-size", expect.closeTo(layers(6, 4), 6), 0]]);
    const [[, alike] = []] = taken({ args: { "offload-group-size": 1 } }, { ...alone, pipelineParallel: 2 });
    expect(alike).toBeCloseTo(layers(14, 4), 6);
  });

  it("follow offload-backend", () => {
    const both = { "offload-group-size": 8, "cpu-offload-gb": 4 };
    const options = (args: ModelRequest["args"]) => taken({ ...(args && { args }) }).map(([option]) => option);
    expect(options({ ...both, "offload-backend": "uva" })).toEqual(["args.cpu-offload-gb"]);
    expect(options({ ...both, "offload-backend": "prefetch" })).toEqual(["args.offload-group-size"]);
    expect(options({ "cpu-offload-gb": 4, "offload-backend": "prefetch" })).toEqual([]);
  });
});

it.each([
  ["0.8.2", { "cpu-offload-gb": 4 }, "0.8.3"],
  ["0.8.4", { "kv-transfer-config": { kv_connector: "LMCacheConnectorV1" } }, "0.8.5"],
  ["0.13.0", { "kv-offloading-size": 8 }, "0.14.0"],
])("is refused where vLLM %s cannot, with the release that can", (engineVersion, args, since) => {
  const problems = (version: string) =>
    vllmSettings.outcome(vllmBlock.parse({}), modelOf("qwen2.5-7b-instruct", { engineVersion: version, args }))
      .problems;
  expect(problems(engineVersion)).toEqual([
    { rule: "engine-release", message: expect.stringContaining(`engineVersion: "${since}" or newer`) },
  ]);
  expect(problems(since)).toEqual([]);
});

describe("the cache of processed media", () => {
  const size = "args.mm-processor-cache-gb";

  it("is in each API process and in the engine's, or one in /dev/shm", () => {
    expect(taken({ args: { "mm-processor-cache-gb": 6 } })).toEqual([[size, 12, 0]]);
    expect(taken({ args: { "mm-processor-cache-gb": 6, "api-server-count": 3 } })).toEqual([[size, 24, 0]]);
    expect(taken({ args: { "mm-processor-cache-gb": 6, "mm-processor-cache-type": "shm" } })).toEqual([[size, 6, 6]]);
    expect(taken({ args: { "mm-processor-cache-type": "shm" } })).toEqual([["args.mm-processor-cache-type", 4, 4]]);
    const shared = { "mm-processor-cache-gb": 6, "mm-processor-cache-type": "shm", "api-server-count": 2 };
    expect(taken({ args: shared })).toEqual([[size, 18, 0]]);
    expect(taken({ args: { "mm-processor-cache-gb": 0 } })).toEqual([]);
  });

  it("is of its default with several API processes, where the model takes images", () => {
    const args = { "api-server-count": 3 };
    expect(taken({ args })).toEqual([]);
    expect(taken({ args }, alone, "qwen2.5-vl-7b-instruct")).toEqual([["args.api-server-count", 16, 0]]);
  });

  it("was a variable's before 0.10.1", () => {
    const env = { VLLM_MM_INPUT_CACHE_GIB: "8" };
    expect(taken({ engineVersion: "0.10.0", env })).toEqual([["env.VLLM_MM_INPUT_CACHE_GIB", 16, 0]]);
    expect(taken({ engineVersion: "0.10.2", env })).toEqual([]);
  });
});
