/** Pods as they are rendered have the memory that their engine's options take, whatever is asked for and where they run. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWithin } from "../../../catalog/engine-releases";
import type { ServeConfig } from "../../../components/serving/ray-serve-config";
import { vllmVersionOf } from "../../../engines/ray/releases";
import { podTemplates } from "../../../kubernetes/pod-templates";
import { modelNamespaceName } from "../../../names/namespaces";
import { repositoryRoot } from "../../../names/repository-root";
import { planDeployment } from "../../../planner/plan";
import type { DeploymentPlan, ModelPlan } from "../../../planner/types";
import { readArchitectures } from "../../../stacks/architectures";
import { formatProblems } from "../../../stacks/config";
import { toPlanRequest } from "../../../stacks/plan-request";
import { flagsOf, gpusOf, numberOf } from "../../engines/told/pods";
import { atNight } from "../../harness/property-runs";
import { parseWith } from "../../stacks/config/samples";
import { type Container, deployServing, type PodSpec } from "./fixture";

const pools = {
  system: { shape: "m7i.2xlarge", maxNodes: 3 },
  h100: { shape: "p5.48xlarge", maxNodes: 16 },
  cpu: { shape: "m7i.4xlarge", role: "cpu", maxNodes: 2 },
  l40s: { shape: "g6e.12xlarge", maxNodes: 8 },
};

async function planned(models: Record<string, object>): Promise<DeploymentPlan> {
  const file = parseWith({ cluster: { kind: "aws" }, pools, models });
  if (!file.ok) {
    throw new Error(formatProblems(file.problems));
  }
  const architectures = await readArchitectures(file.environment, repositoryRoot());
  return planDeployment(toPlanRequest("test", file.environment, architectures));
}

interface Rendered {
  readonly model: ModelPlan;
  readonly pod: PodSpec;
  readonly engine: Container;
  /** Of the command line, or of Ray's application. */
  readonly told: (flag: string) => string | undefined;
}

async function rendered({ models }: Pick<DeploymentPlan, "models">): Promise<Rendered[]> {
  const { deployment } = await deployServing(models);
  return models.flatMap((model) => {
    const objects = deployment.recording.resources.filter(
      ({ inputs }) =>
        (inputs.metadata as { namespace?: string } | undefined)?.namespace === modelNamespaceName(model.name),
    );
    const [application] = objects.flatMap(({ inputs }) => {
      const { serveConfigV2 } = (inputs.spec ?? {}) as { serveConfigV2?: string };
      return serveConfigV2 === undefined ? [] : (JSON.parse(serveConfigV2) as ServeConfig).applications;
    });
    const kwargs = application?.args.llm_configs[0]?.engine_kwargs;
    const pods = objects.flatMap(({ inputs }) =>
      podTemplates(inputs).map(({ template }) => template.spec as unknown as PodSpec),
    );
    return pods.flatMap((pod) => {
      const engine = pod.containers.find(({ name }) => name === "vllm" || name === "ray-worker");
      if (engine === undefined) {
        return [];
      }
      const flags = flagsOf(engine);
      const ofRay = (flag: string) => kwargs?.[flag.replaceAll("-", "_")];
      const told = (flag: string) => flags.get(flag) ?? (ofRay(flag) === undefined ? undefined : String(ofRay(flag)));
      return [{ model, pod, engine, told }];
    });
  });
}

function gibOf(quantity = "0"): number {
  return quantity.endsWith("Gi") ? Number.parseInt(quantity, 10) : Number.parseInt(quantity, 10) / 1024;
}

function sharedMemoryOf({ volumes }: PodSpec): number {
  const volume = volumes.find(({ name }) => name === "shared-memory")?.emptyDir as {
    sizeLimit: string;
    medium: string;
  };
  expect(volume.medium).toBe("Memory");
  return gibOf(volume.sizeLimit);
}

/** What vLLM's source takes of a pod for its arguments at least, GiB: rounded tensors as if nearly doubled, layers without the words. */
function takenBy({ model, engine, told }: Rendered): { memory: number; shared: number } {
  const number = (flag: string) => numberOf(told(flag)) ?? 0;
  const version = model.engine === "ray" ? vllmVersionOf(model.engineVersion) : model.engineVersion;
  const gpus = gpusOf(engine);
  const part = gpus / (number("tensor-parallel-size") * number("pipeline-parallel-size"));
  const blocks = number("kv-offloading-size");
  const hasRegion = isWithin({ since: "0.27.0" }, version);
  const media = number("mm-processor-cache-gb");
  const isShared = told("mm-processor-cache-type") === "shm";
  const group = number("offload-group-size");
  // Of four or more groups of layers the last may lack some.
  const weights = group > 0 ? (3.9 * 0.5 * model.memoryPerGpu.weightsGiB) / group : 1.9 * number("cpu-offload-gb");
  // The size of blocks takes the place of the connector.
  const hasConnector = blocks === 0 && told("kv-transfer-config") !== undefined;
  const connector = hasConnector ? Number(model.env?.LMCACHE_MAX_LOCAL_CPU_SIZE ?? 5) : 0;
  const shared = (hasRegion ? blocks : 0) + (isShared ? media : 0);
  return {
    shared: 1 + shared,
    memory:
      4 +
      2 * gpus +
      1 +
      shared +
      (hasRegion ? 0 : 1.9 * blocks * part) +
      (isShared ? 0 : 2 * media) +
      gpus * (weights + connector),
  };
}

const size = fc.integer({ min: 1, max: 120 });
const options = fc.record(
  {
    "kv-offloading-size": size,
    "cpu-offload-gb": fc.integer({ min: 1, max: 5 }),
    "offload-group-size": fc.constantFrom(4, 8),
    "mm-processor-cache-gb": fc.integer({ min: 0, max: 20 }),
    "mm-processor-cache-type": fc.constantFrom("lru", "shm"),
    "kv-transfer-config": fc.constant({ kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" }),
  },
  { requiredKeys: [] },
);
/** First release with each. */
const SINCE: Readonly<Record<string, string>> = {
  "kv-offloading-size": "0.14.0",
  "offload-group-size": "0.17.0",
  "mm-processor-cache-gb": "0.10.1",
  "mm-processor-cache-type": "0.11.0",
};
const onVllm = fc.record({
  engine: fc.constant("vllm"),
  engineVersion: fc.constantFrom("0.9.2", "0.12.0", "0.14.1", "0.19.0", "0.26.0", "0.27.0", "0.30.0", "0.33.0"),
});
const onRay = fc.record({ engine: fc.constant("ray"), engineVersion: fc.constantFrom("2.56.0", "2.60.0") });
const ofOneNode = { model: "qwen2.5-7b-instruct", concurrency: 4 };
const ofTwo = { model: "llama-3.1-405b-instruct", contextTokens: 4096, concurrency: 2 };
const asked = fc
  .record({
    release: fc.oneof({ weight: 3, arbitrary: onVllm }, onRay),
    parallel: fc.constantFrom({ tensorParallel: 1 }, { tensorParallel: 2 }, { tensorParallel: 2, pipelineParallel: 2 }),
    spansNodes: fc.boolean(),
    loading: fc.constantFrom("copy", "stream"),
    lmcache: size,
    args: options,
  })
  .map(({ release, parallel, spansNodes, loading, lmcache, args }) => {
    const version = release.engine === "ray" ? vllmVersionOf(release.engineVersion) : release.engineVersion;
    const isGroup = spansNodes && release.engine === "vllm" && isWithin({ since: "0.11.1" }, version);
    const has = (flag: string) => isWithin({ since: SINCE[flag] ?? "0.8.0" }, version);
    const parallelism = isGroup ? { pipelineParallel: 2 } : parallel;
    return {
      ...(isGroup ? ofTwo : ofOneNode),
      ...release,
      [release.engine]: { ...(isWithin({ since: "0.9.1" }, version) && parallelism), loading },
      args: Object.fromEntries(Object.entries(args).filter(([flag]) => has(flag))),
      env: { LMCACHE_MAX_LOCAL_CPU_SIZE: lmcache },
    };
  });

describe("pods whose options take host memory", () => {
  it("have it, in /dev/shm too, on every release, engine and layout", async () => {
    let pods = 0;
    let groups = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 8, maxLength: 8 }), async (settings) => {
        const plan = await planned(Object.fromEntries(settings.map((model, index) => [`m${index}`, model])));
        for (const each of await rendered(plan)) {
          const { limits, requests } = each.engine.resources;
          const { memory, shared } = takenBy(each);
          expect(requests.memory).toBe(limits.memory);
          expect(sharedMemoryOf(each.pod)).toBeGreaterThanOrEqual(shared);
          expect(gibOf(limits.memory)).toBeGreaterThanOrEqual(memory);
          expect(gibOf(limits.memory)).toBeGreaterThanOrEqual(sharedMemoryOf(each.pod));
          pods += 1;
          groups += each.model.nodesPerReplica > 1 ? 1 : 0;
        }
      }),
      { numRuns: atNight(12, 4) },
    );
    expect(pods).toBeGreaterThan(8);
    expect(groups).toBeGreaterThan(0);
  });

  /** Memory and /dev/shm of the engine's pods, and what else the plan makes of the options. */
  async function sizes(settings: object) {
    const plan = await planned({ chat: { ...ofOneNode, ...settings } });
    const pods = (await rendered(plan)).map(({ pod, engine }) => [engine.resources.limits.memory, sharedMemoryOf(pod)]);
    return { pods, plan, resources: plan.models[0]?.resources };
  }

  it.each([
    ["none", {}, ["160Gi", 1]],
    ["blocks in /dev/shm", { args: { "kv-offloading-size": 32 } }, ["192Gi", 33]],
    ["blocks of tensors", { engineVersion: "0.26.0", args: { "kv-offloading-size": 32 } }, ["224Gi", 1]],
    [
      "blocks in Ray's pods",
      { engine: "ray", engineVersion: "2.60.0", args: { "kv-offloading-size": 32 } },
      ["192Gi", 33],
    ],
    ["weights", { args: { "cpu-offload-gb": 4 } }, ["168Gi", 1]],
    ["layers", { args: { "offload-group-size": 8 } }, ["165Gi", 1]],
    ["LMCache", { args: { "kv-transfer-config": { kv_connector: "LMCacheConnectorV1" } } }, ["165Gi", 1]],
    ["media", { args: { "mm-processor-cache-gb": 6 } }, ["172Gi", 1]],
    ["media in /dev/shm", { args: { "mm-processor-cache-gb": 6, "mm-processor-cache-type": "shm" } }, ["166Gi", 7]],
  ])("are exactly so large with %s", async (_, settings, expected) => {
    expect((await sizes({ pools: ["h100"], ...settings })).pods).toEqual([expected]);
  });

  it("have it on CPUs too, where the engine takes it", async () => {
    const memory = async (args: object) =>
      (await sizes({ model: "qwen2.5-0.5b-instruct", concurrency: 1, pools: ["cpu"], args })).resources;
    const [none, media] = [await memory({}), await memory({ "mm-processor-cache-gb": 3 })];
    expect(media?.memoryGiB).toBe((none?.memoryGiB ?? 0) + 6);
  });

  it("hold all blocks on each node of a group", async () => {
    const { pods } = await sizes({ ...ofTwo, vllm: { pipelineParallel: 2 }, args: { "kv-offloading-size": 64 } });
    expect(pods).toEqual([
      ["1370Gi", 96],
      ["1370Gi", 96],
    ]);
  });

  it("say in the plan what of their memory is the options'", async () => {
    const { plan, resources } = await sizes({ pools: ["h100"], args: { "kv-offloading-size": 32 } });
    expect(resources).toMatchObject({ memoryGiB: 192, sharedMemoryGiB: 33, optionMemoryGiB: 32 });
    expect(plan.models[0]?.notes).toContainEqual(expect.stringMatching(/args\.kv-offloading-size.* 32\.0 GiB/));
    expect((await sizes({ pools: ["h100"] })).resources).not.toHaveProperty("optionMemoryGiB");
  });

  it("leave the streamer's buffer and Ray's objects what they had", async () => {
    const of = async (args: object) => {
      const settings = { pools: ["h100"], args };
      const streamed = await planned({ chat: { ...ofOneNode, ...settings, vllm: { loading: "stream" } } });
      const onRay = await planned({ chat: { ...ofOneNode, ...settings, engine: "ray", engineVersion: "2.60.0" } });
      const [pod] = await rendered(streamed);
      const { deployment } = await deployServing(onRay.models);
      const [service] = deployment.ofKind("RayService");
      return [
        pod?.told("model-loader-extra-config"),
        /"object-store-memory":"(\d+)"/g.exec(JSON.stringify(service))?.[1],
      ];
    };
    expect(await of({ "kv-offloading-size": 32 })).toEqual(await of({}));
  });

  it("are refused above their part of the node, with the numbers and what to change", async () => {
    const refusal = async (args: object, settings: object = {}) =>
      (await sizes({ pools: ["h100"], args, ...settings })).plan.problems.find(({ rule }) => rule === "model-fits");
    const [path, size] = ["models.chat.args.kv-offloading-size", { "kv-offloading-size": 400 }];
    expect(await refusal(size)).toMatchObject({
      message: expect.stringMatching(/args\.kv-offloading-size takes 400\.0 GiB, 400\.0 GiB of it in \/dev\/shm/),
      remedies: [expect.stringMatching(`${path} .* 229\\.0 GiB.*chat\\.vllm\\.tensorParallel`)],
    });
    expect(await refusal({ "kv-offloading-size": 229 })).toBeUndefined();
    expect(await refusal(size, { vllm: { tensorParallel: 2 } })).toBeUndefined();
    expect(await refusal({ "swap-space": 1500 }, { engineVersion: "0.17.1" })).toMatchObject({
      message: expect.stringMatching(/args\.swap-space.*1500 GiB.*2142\.86 GiB.*2048\.0 GiB/),
    });
    expect(await refusal({ "swap-space": 1400 }, { engineVersion: "0.17.1" })).toBeUndefined();
  });
});
