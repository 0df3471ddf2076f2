/** A release of vLLM takes every flag, value and variable that the platform writes for it, or the plan refuses it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { releaseHas } from "../../../catalog/engine-releases";
import type { MachineShape } from "../../../catalog/shapes";
import { vllmArguments, writtenFor } from "../../../components/serving/vllm-args";
import { groupStart } from "../../../components/serving/vllm-group-start";
import { engineEnvironment } from "../../../components/serving/vllm-pod";
import { engineOf } from "../../../engines";
import { layoutProblems, versionProblems } from "../../../engines/estimate";
import { loraRoom } from "../../../engines/vllm/adapters";
import { vllmReleases } from "../../../engines/vllm/releases";
import { vllmOwnSettings, vllmSettings } from "../../../engines/vllm/settings";
import { vllmWeights } from "../../../engines/vllm/weight-format";
import { cardVerdict, cpuVerdict } from "../../../planner/hardware/verdict";
import type { ModelRequest } from "../../../planner/request";
import type { ModelPlan } from "../../../planner/types";
import { adaptersPlan, hubAdapter } from "../../harness/adapters";
import { modelPlan } from "../../harness/plans";
import { modelOf, shapeNamed } from "../../planner/fixtures";

interface Wish {
  readonly model?: string;
  readonly block?: Record<string, unknown>;
  readonly request?: Partial<ModelRequest>;
  /** @default BM.GPU.H100.8 */
  readonly shape?: string;
  readonly pipelineParallel?: number;
  readonly nodes?: number;
}

interface Asked {
  readonly plan: ModelPlan;
  readonly refusals: readonly string[];
}

function ask(wish: Wish, engineVersion: string): Asked {
  const { model = "qwen2.5-7b-instruct", block = {}, nodes = 1, pipelineParallel = nodes } = wish;
  const { chatTemplate: _, ...requested } = vllmSettings.requested(block);
  const own = modelOf(model, { ...requested, ...wish.request, engineVersion });
  const outcome = vllmSettings.outcome(block, own);
  const request = { ...own, args: { ...outcome.args, ...own.args } };
  const layout = { tensorParallel: 1, pipelineParallel };
  const shape = shapeNamed(wish.shape ?? "BM.GPU.H100.8");
  const { gpu } = shape;
  const verdict = gpu ? cardVerdict(request, gpu) : cpuVerdict(request, shape.cpu.arch);
  const barrier = nodes > 1 ? engineOf("vllm").staysOnNode?.(request) : undefined;
  return {
    plan: planned(request, layout, shape, nodes),
    refusals: [
      ...versionProblems({ name: "vllm", version: engineVersion }),
      ...outcome.problems.map(({ message }) => message),
      ...verdict.refusals.map(({ reason }) => reason),
      ...layoutProblems("vllm", { ...request, ...layout }),
      ...(barrier ? [barrier.reason] : []),
    ],
  };
}

function planned(
  request: ModelRequest,
  layout: Pick<ModelPlan, "tensorParallel" | "pipelineParallel">,
  { gpu }: MachineShape,
  nodesPerReplica: number,
): ModelPlan {
  const { engineVersion, task, loading, kvCacheDtype, args, maxNumSeqs, engineSettings, quantization } = request;
  const weights = vllmWeights(request);
  const room = loraRoom(request);
  return modelPlan({
    engineVersion,
    task,
    loading,
    kvCacheDtype,
    ...layout,
    nodesPerReplica,
    gpuVendor: gpu?.vendor,
    ...(args && { args }),
    ...(maxNumSeqs !== undefined && { maxNumSeqs }),
    ...(engineSettings && { engineSettings }),
    ...(quantization !== undefined && { quantization }),
    ...("loadAs" in weights && { loadAs: weights.loadAs }),
    ...(room && { adapters: adaptersPlan({ list: request.adapters ?? [], ...room }) }),
  });
}

function wordsOf(plan: ModelPlan): string[] {
  if (plan.nodesPerReplica > 1) {
    return (["leader", "worker"] as const).flatMap((role) => groupStart(plan, "/m", role).arguments);
  }
  const transfer = vllmOwnSettings(plan).prefillDecode && writtenFor(plan, { "kv-transfer-config": {} });
  return [...vllmArguments(plan, "/m"), ...(transfer ?? [])];
}

/** What the release's own parser would stop at. */
function faultsOf(plan: ModelPlan): string[] {
  const { engineVersion: version } = plan;
  const { values = {} } = vllmReleases;
  const flags = wordsOf(plan).flatMap((word) => {
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
  const unknown = flags.map(({ name }) => name).filter((name) => !releaseHas(vllmReleases.arguments, name, version));
  const refused = flags.flatMap(({ name, value }) => {
    const rows = values[name];
    return rows && value !== undefined && !releaseHas(rows, value, version) ? [`${name}=${value}`] : [];
  });
  const unread = engineEnvironment(plan, version)
    .map(({ name }) => String(name))
    .filter((name) => name.startsWith("VLLM_") && !releaseHas(vllmReleases.environment, name, version));
  return [...unknown, ...refused, ...unread];
}

const groupOf = (block: Record<string, unknown>): Wish => ({ block, nodes: 2 });
const adapters = [hubAdapter("contracts", { rank: 8 })];

/** What a model may ask, and the releases that the plan accepts it with. */
const wishes: Readonly<Record<string, readonly [Wish, oldest: string, newest?: string]>> = {
  "a chat model": [{}, "0.8.0"],
  "FP8 weights": [{ request: { quantization: "fp8" } }, "0.8.0"],
  "an FP8 cache on Hopper": [{ block: { kvCacheDtype: "fp8" } }, "0.8.2"],
  "an FP8 cache on Ada": [{ block: { kvCacheDtype: "fp8" }, shape: "g6e.4xlarge" }, "0.11.0"],
  "a BF16 cache": [{ block: { kvCacheDtype: "bfloat16" } }, "0.11.0"],
  "streamed weights": [{ block: { loading: "stream" } }, "0.8.0"],
  "sleep mode": [{ block: { sleepMode: true } }, "0.8.0"],
  "tool calls": [{ block: { toolCalling: true } }, "0.8.0"],
  reasoning: [{ model: "qwen3-8b", block: { reasoning: true } }, "0.9.0"],
  "reasoning with tool calls": [
    { block: { reasoning: true, toolCalling: true }, request: { args: { "reasoning-parser": "deepseek_r1" } } },
    "0.8.2",
  ],
  adapters: [{ request: { adapters } }, "0.8.3"],
  "adapters of rank 1": [{ request: { adapters, maxLoraRank: 1 } }, "0.11.1"],
  "prompts apart from answers": [{ block: { prefillDecode: { prefill: 1, decode: 1 } } }, "0.13.0"],
  embeddings: [{ model: "bge-m3", request: { task: "embedding" } }, "0.10.1"],
  reranking: [{ model: "bge-reranker-v2-m3", request: { task: "rerank" } }, "0.10.1"],
  "recurrent layers": [{ model: "nemotron-3-nano-30b-a3b" }, "0.10.2"],
  "gpt-oss": [{ model: "gpt-oss-20b" }, "0.31.0"],
  float32: [{ request: { quantization: "fp32" } }, "0.9.2"],
  "stages on one node": [{ pipelineParallel: 2 }, "0.9.1"],
  "several nodes": [groupOf({}), "0.11.1"],
  "several nodes with Ray": [groupOf({ distributedExecutor: "ray" }), "0.9.1", "0.17.1"],
  "AMD cards": [{ shape: "BM.GPU.MI300X.8" }, "0.14.0"],
  "cards before Ampere": [{ shape: "g4dn.xlarge" }, "0.10.2"],
  CPUs: [{ shape: "m7i.4xlarge" }, "0.20.0"],
};

describe("each release of vLLM", () => {
  it.each(Object.entries(wishes).map(([name, [wish, oldest, newest]]) => ({ name, wish, oldest, newest })))(
    "takes what is written for $name, from $oldest on, and older ones are refused",
    ({ wish, oldest, newest = vllmReleases.releases.at(-1) }) => {
      const asked = vllmReleases.releases.map((version) => ({ version, ...ask(wish, version) }));
      const accepted = asked.filter(({ refusals }) => refusals.length === 0);
      expect(accepted.flatMap(({ version, plan }) => faultsOf(plan).map((fault) => `${version}: ${fault}`))).toEqual(
        [],
      );
      const versions = accepted.map(({ version }) => version);
      expect([versions[0], versions.at(-1)]).toEqual([oldest, newest]);
      expect(versions).toEqual(
        vllmReleases.releases.slice(
          vllmReleases.releases.indexOf(oldest),
          vllmReleases.releases.indexOf(newest ?? "") + 1,
        ),
      );
    },
  );

  it("takes every combination of settings that the plan accepts", () => {
    const flag = fc.boolean();
    const wish = fc.record({
      model: fc.constantFrom("qwen2.5-7b-instruct", "qwen3-8b", "gpt-oss-20b", "qwen3-4b-awq"),
      block: fc.record({
        kvCacheDtype: fc.constantFrom("auto", "fp8", "bfloat16"),
        loading: fc.constantFrom("copy", "stream"),
        toolCalling: flag,
        reasoning: flag,
        sleepMode: flag,
        maxNumSeqs: fc.constantFrom(undefined, 64),
      }),
      request: fc.record({
        quantization: fc.constantFrom(undefined, "fp8", "fp8_per_block", "mxfp4", "fp16"),
        adapters: fc.constantFrom(undefined, adapters),
      }),
      shape: fc.constantFrom("BM.GPU.H100.8", "g6e.4xlarge", "BM.GPU.MI300X.8", "m7i.4xlarge"),
      nodes: fc.constantFrom(1, 2),
    });
    fc.assert(
      fc.property(wish, fc.constantFrom(...vllmReleases.releases), (given, version) => {
        const { plan, refusals } = ask(given as Wish, version);
        if (refusals.length === 0) {
          expect(faultsOf(plan)).toEqual([]);
        }
      }),
    );
  });
});
