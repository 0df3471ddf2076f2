import { describe, expect, it } from "vitest";
import { main } from "../../cli/model";
import { readModelArguments } from "../../cli/model/arguments";
import { enginesTaking, modelOptions, readCommandLine } from "../../cli/model/options";
import { engineNames, engineOf } from "../../engines";
import { runPiped } from "./run";

const problems = (...argv: string[]) => {
  const read = readModelArguments(argv);
  return typeof read === "object" && "problems" in read ? read.problems : [];
};

describe("what people type by mistake", () => {
  it("is answered all at once, the model included", async () => {
    const wrong = ["llama-3.1-8bb", "--card", "h900", "--tp", "auto", "--dtype", "fp16", "--tpp", "2"];
    const { status, err } = await runPiped(main, wrong);
    expect(status).toBe(2);
    for (const part of [
      '--tpp is no option: did you mean "--tp" or "--pp"?',
      '--tp must be a whole number above 0, is "auto": leave it out, and what fits is named',
      '--dtype must be one of auto, half, float16, bfloat16, float, float32, is "fp16"',
      '--card "h900" is not in the catalogue',
      'did you mean "llama-3.1-8b"?',
      "--help lists the options",
    ]) {
      expect(err).toContain(part);
    }
    expect(err).not.toMatch(/expected one model|\n\s+at /);
  });

  it.each([
    [
      ["--card", "h100", "--card", "a10"],
      "--card is given twice: write one; without a card, a table compares them all",
    ],
    [["--card", "h100", "--gpu", "a10"], "--card and --gpu say the same: write one"],
    [["--card", "--json"], "--card needs a value behind it"],
    [["--tp"], "--tp needs a value behind it"],
    [["--json=yes"], "--json takes no value"],
    [["--enforce-eager=true"], "--enforce-eager takes no value"],
    [["--enforce-eager", "--no-enforce-eager", "--dtype", "half", "--dtype", "half"], "--dtype is given twice"],
    [["--card", "nonsense card"], '--card "nonsense card" is not in the catalogue'],
    [["--card", "Intel Gaudi 3"], '--card "Intel Gaudi 3" is not in the catalogue'],
    [["--card", "H100 PCI"], "the nearest"],
    [
      ["--card", "RTX PRO 7000"],
      "the nearest are NVIDIA RTX PRO 4500 Blackwell, NVIDIA RTX PRO 6000 Blackwell Server (npm",
    ],
    [["--shape", "p5.48xlarge", "--card", "H200"], "give one of --shape and --card"],
    [["--cpu-offload-gb", "10"], "--cpu-offload-gb of vLLM is not counted: weights are counted on the GPU"],
    [["--kv-cache-memory-bytes", "1"], "say --utilization"],
    [["--swap-space", "4"], "--swap-space of vLLM is not taken"],
    [["--seed", "3"], "--seed of vLLM changes nothing that is counted here"],
    [["--limit-mm-per-prompt", "none"], "--limit-mm-per-prompt must be counts by modality"],
    [["--max-num-batched-tokens", "0"], "--max-num-batched-tokens must be a whole number above 0"],
    [
      ["--engine", "ollama", "--dtype", "half"],
      "--dtype is an option of vLLM or Ray Serve: Ollama decides this itself",
    ],
    [["--engine", "ollama", "--tensor-parallel-size", "2"], "--tensor-parallel-size is an option of vLLM"],
    [["--constructor"], "--constructor is no option"],
    [["--utilization", "1.5"], '--utilization must be a share of GPU memory above 0, at most 1, is "1.5"'],
    [["--utilization", "95%"], "--utilization must be a share of GPU memory"],
    [["--gpu-memory-gib", "81559"], "--gpu-memory-gib must be GiB above 0, at most 2048"],
  ])("%j is one problem", (argv, message) => {
    const found = problems("llama-3.1-8b", ...argv);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });

  it("is not what vLLM's own names are, nor 128K", () => {
    const read = readModelArguments([
      ...["llama-3.1-8b", "--tensor-parallel-size", "2", "--max-model-len", "128K", "--gpu-memory-utilization", "0.9"],
      ...["--kv-cache-dtype", "fp8", "--max-num-seqs", "64", "--no-enable-chunked-prefill"],
    ]);
    expect(read).toMatchObject({
      tensorParallel: 2,
      contextTokens: 131_072,
      utilization: 0.9,
      kvCacheDtype: "fp8",
      flags: { "max-num-seqs": "64", "no-enable-chunked-prefill": true },
    });
  });

  it.each(engineNames)("leaves every memory flag of %s an option, with its negation", (engine) => {
    for (const name of engineOf(engine).memoryFlags ?? []) {
      expect(Object.keys(modelOptions)).toContain(name);
      expect(enginesTaking(name)).toContain(engine);
      // One command line for all engines: a flag that two have takes a value in both, or in neither.
      const isSwitch = engineOf(engine).options.argumentNamed.get(name)?.kind === "switch";
      expect(modelOptions[name as keyof typeof modelOptions].type, name).toBe(isSwitch ? "boolean" : "string");
    }
  });

  it("spells flags that switch others off as the engine does", () => {
    expect(readCommandLine(["--disable-expert-parallel"]).flags).toEqual({ "disable-expert-parallel": true });
  });

  it("is the version of an engine that has but one, or that is no engine's here", () => {
    expect(readModelArguments(["llama-3.1-8b", "--engine-version", "0.19.0"])).toMatchObject({
      engine: { name: "vllm", version: "0.19.0" },
    });
    expect(problems("llama-3.1-8b", "--engine-version", "0.19.0", "--vllm-version", "0.19.0")).toEqual([
      "--engine-version and --vllm-version say the same: write one",
    ]);
    expect(problems("llama-3.1-8b", "--engine", "ollama", "--engine-version", "0.19.0")).toEqual([
      "--engine-version is an option of vLLM or Ray Serve: Ollama decides this itself",
    ]);
    expect(problems("llama-3.1-8b", "--ollama-version", "0.32.0")[0]).toContain("--ollama-version is no option");
  });
});
