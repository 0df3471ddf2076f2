import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EngineArgument, ruleFor } from "../../../catalog/engine-options";
import { IMAGE_PULL_SECONDS } from "../../../components/serving/pod-settings";
import { groupArguments, vllmArguments } from "../../../components/serving/vllm-args";
import { engineOptions } from "../../../engines";
import { LORA_RANKS } from "../../../engines/vllm/adapters";
import { planDeployment } from "../../../planner/plan";
import { parted } from "../../../planner/slices";
import type { ArgumentValue, ModelPlan } from "../../../planner/types";
import upstream from "../../fixtures/upstream/vllm-flags.json";
import { adaptersPlan } from "../../harness/adapters";
import { groupPlan, modelPlan } from "../../harness/plans";
import { environmentOf, modelOf, poolOf, shapeNamed } from "../../planner/fixtures";
import { problemsWith } from "../../stacks/config/samples";

interface Flag {
  readonly name: string;
  readonly type: string;
  readonly positional?: boolean;
  readonly nargs?: string;
  readonly negation?: string;
  readonly choices?: readonly (string | number | null)[];
  readonly openEnded?: boolean;
}

const FLAGS = new Map(
  (upstream.flags as readonly Flag[]).flatMap((flag) =>
    // Of a switch the parser takes "--no-…" too where its help shows another opposite.
    [flag.name, ...(flag.negation ? [flag.negation, `--no-${flag.name.slice(2)}`] : [])].map((name) => [name, flag]),
  ),
);

/** What the release's parser would object to. */
function parserProblems(args: readonly string[]): string[] {
  const [positional, ...rest] = args;
  const problems = positional?.startsWith("-") ? ["the model must come first"] : [];
  let several: Flag | undefined;
  for (const word of rest) {
    const [name = "", value] = split(word);
    const flag = FLAGS.get(name);
    if (several && !word.startsWith("-")) {
      continue;
    }
    several = flag?.nargs === "+" && value === undefined ? flag : undefined;
    if (several) {
      continue;
    }
    if (flag === undefined) {
      problems.push(`${name} is no flag of vLLM ${upstream.version}`);
    } else if (flag.type === "bool-flag" ? value !== undefined : !accepts(flag, value ?? "")) {
      problems.push(`${name} takes ${flag.type}, not "${value}"`);
    }
  }
  return problems;
}

function split(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function accepts({ type, choices, openEnded }: Flag, value: string): boolean {
  if (value === "") {
    return false;
  }
  if (choices && !openEnded && !choices.map(String).includes(value)) {
    return false;
  }
  // Kubernetes puts the value in the variable's place.
  const literal = value.replace(/\$\(\w+\)/g, "1");
  if (/^int/.test(type)) {
    return /^\d+$/.test(literal);
  }
  if (type === "float") {
    return Number.isFinite(Number(literal));
  }
  if (type.startsWith("json")) {
    return typeof JSON.parse(literal) === "object";
  }
  return true;
}

describe("vllmArguments", () => {
  it("gives the KV cache its planned size on CPUs, where a share of memory would take the pod's", () => {
    const memoryPerGpu = { ...modelPlan().memoryPerGpu, kvCacheGiB: 2.5 };
    const args = vllmArguments(modelPlan({ gpuVendor: undefined, gpusPerNode: 0, memoryPerGpu }), "/models/current");
    expect(args).toContain(`--kv-cache-memory-bytes=${2.5 * 2 ** 30}`);
    expect(args.join(" ")).not.toContain("gpu-memory-utilization");
    expect(parserProblems(args)).toEqual([]);
  });

  it("tells instances that take turns on a card what each may take of the whole of it, and their caches in bytes", () => {
    const timeSlicing = { replicas: 3 };
    const shape = parted(shapeNamed("VM.GPU.A10.1"), { timeSlicing });
    const pool = poolOf("VM.GPU.A10.1", 1, { name: "gpu", shape, sharing: { timeSlicing } });
    const asked = { contextTokens: 4096, concurrency: 2, maxNumSeqs: 16 };
    const models = [
      modelOf("llama-3.2-1b-instruct", asked),
      modelOf("qwen3-embedding-0.6b", { ...asked, task: "embedding", gpuMemoryUtilization: 0.8 }),
      modelOf("bge-m3", { ...asked, task: "embedding" }),
    ];
    const plan = planDeployment(environmentOf([pool], models));
    expect(plan.problems).toEqual([]);
    const told = plan.models.map((model) => vllmArguments(model, "/models/current"));
    // Keys and values of 16 and 28 layers, 8 heads of 64 and of 128, 2 bytes: 513 pages of 16 tokens, one of them vLLM's own.
    const pages = (layers: number, head: number) => 513 * 16 * layers * 2 * 8 * head * 2;
    expect(told.map((args) => args.filter((word) => word.includes("memory")))).toEqual([
      ["--gpu-memory-utilization=0.2836", `--kv-cache-memory-bytes=${pages(16, 64)}`],
      ["--gpu-memory-utilization=0.2436", `--kv-cache-memory-bytes=${pages(28, 128)}`],
      ["--gpu-memory-utilization=0.2836", "--kv-cache-memory-bytes=0"],
    ]);
    expect(told.flatMap(parserProblems)).toEqual([]);
    expect(told[0]).toEqual([
      "/models/current",
      "--served-model-name=llama-3.2-1b-instruct",
      "--host=0.0.0.0",
      "--port=8000",
      "--tensor-parallel-size=1",
      "--pipeline-parallel-size=1",
      "--max-model-len=4096",
      "--max-num-seqs=16",
      "--gpu-memory-utilization=0.2836",
      `--kv-cache-memory-bytes=${pages(16, 64)}`,
      "--runner=generate",
      "--shutdown-timeout=3600",
      "--disable-access-log-for-endpoints=/health,/metrics,/v1/models",
    ]);
  });

  it("renders a planned model", () => {
    expect(vllmArguments(modelPlan(), "/models/current")).toEqual([
      "/models/current",
      "--served-model-name=llama-3.1-8b-instruct",
      "--host=0.0.0.0",
      "--port=8000",
      "--tensor-parallel-size=1",
      "--pipeline-parallel-size=1",
      "--max-model-len=8192",
      "--gpu-memory-utilization=0.92",
      "--runner=generate",
      "--shutdown-timeout=3600",
      "--disable-access-log-for-endpoints=/health,/metrics,/v1/models",
    ]);
  });

  it("adds what the plan overrides, and nothing for what it leaves to the engine", () => {
    const loadAs = { quantization: "fp8" };
    const args = vllmArguments(modelPlan({ kvCacheDtype: "fp8", quantization: "fp8", loadAs, maxNumSeqs: 64 }), "/m");
    expect(args).toEqual(expect.arrayContaining(["--kv-cache-dtype=fp8", "--quantization=fp8", "--max-num-seqs=64"]));
    const plain = vllmArguments(modelPlan(), "/m").join(" ");
    expect(plain).not.toMatch(/kv-cache-dtype|quantization|dtype|max-num-seqs|load-format/);
  });

  it("leaves the flag away where the checkpoint declares the format, and passes a number type as --dtype", () => {
    const declared = vllmArguments(modelPlan({ quantization: "awq" }), "/m").join(" ");
    expect(declared).not.toMatch(/quantization|dtype/);
    const half = vllmArguments(modelPlan({ quantization: "fp16", loadAs: { dtype: "float16" } }), "/m");
    expect(half).toContain("--dtype=float16");
    const old = vllmArguments(modelPlan({ loadAs: { flag: "--allow-deprecated-quantization" } }), "/m");
    expect(old).toContain("--allow-deprecated-quantization");
    expect([...parserProblems(half), ...parserProblems(old)]).toEqual([]);
  });

  it.each([
    ["chat", "generate"],
    ["completion", "generate"],
    ["embedding", "pooling"],
    ["rerank", "pooling"],
  ] as const)("runs %s models as %s", (task, runner) => {
    expect(vllmArguments(modelPlan({ task }), "/m")).toContain(`--runner=${runner}`);
  });

  it("names adapters where they lie in the pod, with room for all of them in its memory", () => {
    const plain = vllmArguments(modelPlan({ args: { seed: 7 } }), "/m");
    const args = vllmArguments(modelPlan({ adapters: adaptersPlan({ slots: 1 }), args: { seed: 7 } }), "/m");
    const added = args.filter((arg) => !plain.includes(arg));
    expect(added).toEqual([
      "--enable-lora",
      "--max-loras=1",
      "--max-lora-rank=16",
      "--max-cpu-loras=2",
      "--lora-modules",
      "contracts=/adapters/contracts",
      "rulings=/adapters/rulings",
    ]);
    expect(args.at(-1)).toBe("--seed=7");
  });

  it("bounds the streamer's buffers by the pod's memory, shared by its GPU processes", () => {
    const args = vllmArguments(groupPlan({ loading: "stream" }), "s3://models/llama-405b");
    expect(args).toContain("--load-format=runai_streamer");
    const extra = args.find((arg) => arg.startsWith("--model-loader-extra-config="))?.split("=")[1] ?? "";
    const { memory_limit: limit, concurrency } = JSON.parse(extra) as { memory_limit: number; concurrency: number };
    expect(concurrency).toBe(16);
    expect(limit * 8).toBe((1280 * 2 ** 30) / 4);
  });

  const plans = fc.record({
    servedName: fc.stringMatching(/^[\w./:-]{1,40}$/),
    task: fc.constantFrom("chat", "completion", "embedding", "rerank"),
    loading: fc.constantFrom("copy", "stream"),
    kvCacheDtype: fc.constantFrom("auto", "bfloat16", "fp8"),
    tensorParallel: fc.integer({ min: 1, max: 8 }),
    pipelineParallel: fc.integer({ min: 1, max: 8 }),
    contextTokens: fc.integer({ min: 1, max: 1_000_000 }),
    gpuMemoryUtilization: fc.double({ min: 0.5, max: 0.97, noNaN: true }),
    maxNumSeqs: fc.option(fc.integer({ min: 1, max: 4096 }), { nil: undefined }),
    quantization: fc.constantFrom(undefined, "fp8", "awq", "gptq", "compressed-tensors"),
    adapters: fc.option(
      fc.record({ slots: fc.integer({ min: 1, max: 64 }), maxRank: fc.constantFrom(...LORA_RANKS) }).map(adaptersPlan),
      { nil: undefined },
    ),
  }) as fc.Arbitrary<Partial<ModelPlan>>;

  it("uses only flags of the pinned release, with values of their types", () => {
    fc.assert(
      fc.property(plans, (overrides) => {
        const plan = modelPlan(overrides);
        expect(parserProblems(vllmArguments(plan, "/m"))).toEqual([]);
        expect(parserProblems(groupArguments(plan, "/m", "leader"))).toEqual([]);
        expect(parserProblems(groupArguments(plan, "/m", "worker"))).toEqual([]);
      }),
    );
  });

  it("would notice a flag or a value that the release does not know", () => {
    expect(parserProblems(["/m", "--task=embed", "--port=http", "--runner=embed", "--headless=yes"])).toHaveLength(4);
  });
});

describe("flags that the user gives", () => {
  const given = (args: NonNullable<ModelPlan["args"]>) => {
    const plain = vllmArguments(modelPlan(), "/m");
    return vllmArguments(modelPlan({ args }), "/m").slice(plain.length);
  };

  it("come after the plan's own, as the engine reads them", () => {
    expect(
      given({
        "enable-auto-tool-choice": true,
        "enable-prefix-caching": false,
        "trust-remote-code": false,
        "tool-call-parser": "hermes",
        seed: 7,
        "limit-mm-per-prompt": { image: 2 },
        "lora-modules": ["a=/models/current/a", "b=/models/current/b"],
        "allowed-origins": ["https://chat.example.com"],
      }),
    ).toEqual([
      "--enable-auto-tool-choice",
      "--no-enable-prefix-caching",
      "--no-trust-remote-code",
      "--tool-call-parser=hermes",
      "--seed=7",
      '--limit-mm-per-prompt={"image":2}',
      "--lora-modules",
      "a=/models/current/a",
      "b=/models/current/b",
      '--allowed-origins=["https://chat.example.com"]',
    ]);
  });

  it("cannot pull a secret of the container into the command line", () => {
    expect(given({ "response-role": "$(AWS_SECRET_ACCESS_KEY)" })).toEqual([
      "--response-role=$$(AWS_SECRET_ACCESS_KEY)",
    ]);
  });

  const { settings, refused } = engineOptions("vllm").arguments;
  const free = engineOptions("vllm").options.arguments.filter(
    ({ name }) => ruleFor(settings, name) === undefined && ruleFor(refused, name) === undefined,
  );
  const sample = ({ kind, choices }: EngineArgument): ArgumentValue => {
    const samples = { switch: true, integer: 8, number: 0.5, text: "auto", json: { a: 1 }, list: ["a"] } as const;
    // With lmcache vLLM looks for a server that no pod runs.
    return choices?.find((choice) => choice !== "lmcache") ?? samples[kind];
  };

  it("are taken by the release's parser, each that may be given", () => {
    expect(free.length).toBeGreaterThan(150);
    const source = `hf://Qwen/Qwen2.5-7B-Instruct@${"0".repeat(40)}`;
    for (const off of [false, true]) {
      const flags = free.filter(({ kind, negation }) => !off || (kind === "switch" && negation !== undefined));
      const args = Object.fromEntries(flags.map((flag) => [flag.name, off ? false : sample(flag)]));
      expect(problemsWith({ models: { chat: { model: "qwen2.5-7b-instruct", source, args } } })).toEqual([]);
      expect(parserProblems(["/m", ...given(args)])).toEqual([]);
    }
  });
});

describe("groupArguments", () => {
  it("waits for the slowest node as long as a node may take, and never less than PyTorch does", () => {
    const timeout = (startupBudgetSeconds: number) =>
      groupArguments({ ...groupPlan(), startupBudgetSeconds }, "/m", "leader").find((argument) =>
        argument.startsWith("--distributed-timeout-seconds="),
      );
    expect(timeout(1670)).toBe(`--distributed-timeout-seconds=${1670 + IMAGE_PULL_SECONDS}`);
    expect(Number(timeout(1)?.split("=")[1])).toBeGreaterThanOrEqual(600);
  });

  it("places each pod by the variables of its group, and gives only the leader an API", () => {
    const group = [
      "--distributed-executor-backend=mp",
      "--nnodes=$(LWS_GROUP_SIZE)",
      "--node-rank=$(LWS_WORKER_INDEX)",
      "--master-addr=$(LWS_LEADER_ADDRESS)",
      "--master-port=29501",
      `--distributed-timeout-seconds=${IMAGE_PULL_SECONDS + groupPlan().startupBudgetSeconds}`,
    ];
    const single = vllmArguments(groupPlan(), "/m");
    expect(groupArguments(groupPlan(), "/m", "leader")).toEqual([...single, ...group]);
    expect(groupArguments(groupPlan(), "/m", "worker")).toEqual([...single, ...group, "--headless"]);
  });
});
