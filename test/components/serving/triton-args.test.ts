import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ruleFor } from "../../../catalog/engine-options";
import { tritonArguments } from "../../../components/serving/triton-args";
import { repositoryFiles } from "../../../components/serving/triton-config";
import { engineOptions } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import upstream from "../../fixtures/upstream/triton.json";
import { modelPlan } from "../../harness/plans";
import { problemsWith } from "../../stacks/config/samples";

interface Flag {
  readonly name: string;
  readonly type: string;
  readonly nargs?: string;
  readonly choices?: readonly string[];
}

const FLAGS = new Map((upstream.flags as readonly Flag[]).map((flag) => [flag.name, flag]));

/** What the release's parser would object to. */
function parserProblems(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.flatMap((word) => {
    const [, name = word, value] = /^(--[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = FLAGS.get(name);
    if (flag === undefined) {
      return [`${word} is no flag of Triton ${upstream.version}`];
    }
    const isAgain = seen.has(name) && flag.nargs !== "+";
    seen.add(name);
    return [
      ...(isAgain ? [`${name} stands twice`] : []),
      ...((flag.type === "bool-flag" ? value !== undefined : !takes(flag, value))
        ? [`${name} takes no "${value}"`]
        : []),
    ];
  });
}

function takes({ type, choices }: Flag, value: string | undefined): boolean {
  if (value === undefined || value === "") {
    return false;
  }
  if (choices !== undefined) {
    return choices.includes(value);
  }
  if (type === "bool") {
    return value === "true" || value === "false";
  }
  return type === "int" ? /^-?\d+$/.test(value) : true;
}

function tritonPlan(overrides: Partial<ModelPlan> = {}): ModelPlan {
  return modelPlan({ engine: "triton", engineVersion: "26.07", task: "completion", servedName: "llama", ...overrides });
}

const OWN = { backends: "standard", isRepository: true, resources: { R1: 4, R2: 1 } };

describe("the command line of Triton", () => {
  it("is one that the release's parser takes", () => {
    for (const plan of [
      tritonPlan(),
      tritonPlan({ engineSettings: OWN }),
      tritonPlan({ args: { "log-verbose": 1 } }),
    ]) {
      expect(parserProblems(tritonArguments(plan, "/repository"))).toEqual([]);
    }
  });

  it("loads the planned model explicitly, and nothing that lies beside it", () => {
    const words = tritonArguments(tritonPlan(), "/repository");
    expect(words).toEqual(
      expect.arrayContaining([
        "--model-repository=/repository",
        "--model-control-mode=explicit",
        "--load-model=llama",
        "--metrics-config=summary_latencies=true",
        "--exit-timeout-secs=3600",
        "--grpc-infer-allocation-pool-size=16",
        "--pinned-memory-pool-byte-size=268435456",
      ]),
    );
  });

  it("completes the configuration of the form for checkpoints, and of nothing that the user wrote", () => {
    expect(tritonArguments(tritonPlan(), "/r")).not.toContain("--disable-auto-complete-config");
    expect(tritonArguments(tritonPlan({ engineSettings: OWN }), "/r")).toEqual(
      expect.arrayContaining([
        "--disable-auto-complete-config",
        "--rate-limit=execution_count",
        "--rate-limit-resource=R1:4",
        "--rate-limit-resource=R2:1",
      ]),
    );
  });

  it("takes every flag that a user may set, as its parser wants it", () => {
    const { options, arguments: rules } = engineOptions("triton");
    const free = options.arguments.filter(
      ({ name }) => ruleFor(rules.settings, name) === undefined && ruleFor(rules.refused, name) === undefined,
    );
    expect(free.length).toBeGreaterThan(10);
    const args = Object.fromEntries(
      free.map(({ name, kind, choices }) => {
        const value =
          choices?.[0] ?? (kind === "switch" ? false : kind === "list" ? ["a", "b"] : kind === "text" ? "a" : 1);
        return [name, value];
      }),
    );
    expect(
      problemsWith({ models: { chat: { model: "qwen2.5-7b-instruct", task: "completion", engine: "triton", args } } }),
    ).toEqual([]);
    expect(parserProblems(tritonArguments(tritonPlan({ args }), "/r"))).toEqual([]);
  });

  it("owns what it sets: a user cannot set it too", () => {
    const words = [tritonPlan(), tritonPlan({ engineSettings: OWN })].flatMap((plan) => tritonArguments(plan, "/r"));
    const flags = [...new Set(words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []))];
    expect(flags.length).toBeGreaterThan(12);
    const free = flags.filter((flag) => {
      const chat = { model: "qwen2.5-7b-instruct", task: "completion", engine: "triton", args: { [flag]: 1 } };
      return !problemsWith({ models: { chat } }).some(({ allowed }) => /^(set by|not to be set)/.test(allowed));
    });
    expect(free).toEqual([]);
  });
});

describe("model.yaml", () => {
  const yaml = (plan: ModelPlan) => JSON.parse(repositoryFiles(plan, "/models/current")["model.yaml"]);

  it("says what the plan computed", () => {
    expect(yaml(tritonPlan({ tensorParallel: 2, maxNumSeqs: 33, kvCacheDtype: "fp8" }))).toEqual({
      model: "/models/current",
      backend: "pytorch",
      tensor_parallel_size: 2,
      pipeline_parallel_size: 1,
      max_seq_len: 8192,
      max_batch_size: 33,
      max_num_tokens: 8192,
      kv_cache_config: { free_gpu_memory_fraction: expect.any(Number), dtype: "fp8" },
      triton_config: { max_batch_size: 0, decoupled: true },
    });
    expect(yaml(tritonPlan({ concurrency: 100 })).max_batch_size).toBe(100);
    expect(yaml(tritonPlan({ concurrency: 2 })).max_batch_size).toBe(64);
  });

  it("gives the cache the part of what is left that keeps all within the plan's limit", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 8, max: 192, noNaN: true }),
        fc.double({ min: 0.3, max: 0.97, noNaN: true }),
        fc.double({ min: 0.01, max: 0.95, noNaN: true }),
        (gpuGiB, utilization, used) => {
          const limitGiB = gpuGiB * utilization;
          const base = limitGiB * used;
          const memoryPerGpu = {
            weightsGiB: base * 0.9,
            overheadGiB: base * 0.1,
            kvCacheGiB: 0,
            totalGiB: base,
            limitGiB,
          };
          const plan = tritonPlan({ memoryPerGpu, gpuMemoryUtilization: utilization });
          const fraction: number = yaml(plan).kv_cache_config.free_gpu_memory_fraction;
          const taken = base + fraction * (gpuGiB - base);
          expect(taken).toBeLessThanOrEqual(limitGiB + 1e-9);
          // The fraction has three digits.
          expect(taken).toBeGreaterThan(limitGiB - 0.001 * gpuGiB - 1e-9);
        },
      ),
    );
  });
});
