import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { modelNames } from "../../catalog/models";
import { main } from "../../cli/model";
import { engineNames } from "../../engines";
import { runPiped } from "./run";

const fixtures = join(__dirname, "../fixtures/models");
const config = (name: string): string => join(fixtures, name, "config.json");

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const { status: code, ...written } = await runPiped(main, argv);
  return { code, ...written };
}

async function json(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await run(...argv, "--json");
  const figures = JSON.parse(out) as Record<string, unknown>;
  const isNamed = argv.some((word) => /^--(card|gpu|shape|host-memory)/.test(word));
  expect({ code, err }).toEqual({ code: figures.fits || !isNamed ? 0 : 1, err: "" });
  return figures;
}

describe("npm run model", () => {
  it("states the figures of a start-up log as JSON", async () => {
    const figures = await json(
      config("meta-llama--Llama-3.1-8B"),
      ...["--gpu-memory-gib", "79.19", "--gpu-model", "NVIDIA H100 80GB HBM3", "--utilization", "0.95"],
      ...["--context", "8192", "--vllm-version", "0.19.0"],
    );
    expect(figures).toMatchObject({ totalParametersB: 8.030261248, kvCacheBytesPerToken: 131072, fits: true });
    expect(figures.weightsGB).toBeCloseTo(16.06, 2);
    const perGpu = figures.perGpu as Record<string, number>;
    expect(perGpu.weightsGiB).toBeCloseTo(14.99, 2);
    expect(perGpu.kvCacheGiB).toBeCloseTo(58.11, 1);
    expect(Math.abs(Number(figures.kvTokens) / 476_000 - 1)).toBeLessThan(0.001);
  });

  it("reads no device", async () => {
    const { code, err } = await run("/dev/zero");
    expect([code, err]).toEqual([2, expect.stringContaining("it is a device or a pipe")]);
  });

  it("finds hf_quant_config.json beside the config", async () => {
    const figures = await json(config("nvidia--Llama-3.1-70B-Instruct-FP8"));
    expect(figures).toMatchObject({ weightFormat: "fp8-tensor", kvCacheBytesPerToken: 327680 });
    expect(figures.weightsGB).toBeCloseTo(72.66, 2);
    expect(await json(config("nvidia--Llama-3.1-70B-Instruct-FP8"), "--kv-dtype", "fp8")).toMatchObject({
      kvCacheBytesPerToken: 163840,
    });
  });

  it("takes catalogue names and folders", async () => {
    const byName = await json("llama-3.1-8b");
    const byFolder = await json(join(fixtures, "meta-llama--Llama-3.1-8B"));
    expect(byName.totalParametersB).toBe(byFolder.totalParametersB);
  });

  it("explains for people", async () => {
    const { code, out } = await run(
      config("Qwen--Qwen3-30B-A3B"),
      ...["--context", "32768", "--concurrency", "4", "--card", "H100"],
    );
    expect(code).toBe(1);
    expect(out).toContain("30.532 billion in all");
    expect(out).toContain("8 of 128 experts; all must be resident");
    expect(out).toContain("98,304 bytes per token");
    expect(out).toMatch(
      /at the edge: \d+\.\d\d GiB of 72\.85 GiB; the KV cache of this load decides\n +may hold .*: \d+\.\d GiB missing .* \d\.\d GiB off/,
    );
    expect(out).toContain("measured on vLLM 0.19; applied to 0.33.0");
  });

  it("says when the engine would refuse the layout", async () => {
    const figures = await json(config("microsoft--phi-4"), "--tp", "4");
    expect(figures).toMatchObject({
      fits: false,
      layoutProblems: [expect.stringMatching(/^TP 4 .* 10 KV heads$/)],
    });
  });

  it("lists the catalogue when it is asked about nothing", async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    for (const name of modelNames()) {
      expect(out).toContain(`\n${name} `);
    }
  });

  it("takes a model by its Hugging Face repository", async () => {
    expect((await json("Qwen/Qwen3-8B")).totalParametersB).toBe((await json("qwen3-8b")).totalParametersB);
  });

  it.each([
    ["--gpu", "H200", "NVIDIA H200 141GB SXM", 139.8],
    ["--gpu", "rtx-4090", "NVIDIA GeForce RTX 4090", 23.52],
    ["--gpu", "a100 80gb", "NVIDIA A100 80GB SXM", 79.25],
    ["--gpu-model", "NVIDIA L40S", "NVIDIA L40S", 44.4],
    ["--gpu-model", "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB SXM", 79.19],
    ["--shape", "g6e.xlarge", "NVIDIA L40S", 44.4],
  ])("%s %s gives the card's memory", async (option, name, gpuModel, gpuMemoryGiB) => {
    expect(await json("qwen2.5-7b-instruct", option, name)).toMatchObject({ gpuModel, gpuMemoryGiB });
  });

  it("takes a card that the catalogue lacks with its memory, and says what that means", async () => {
    const figures = await json("qwen2.5-7b-instruct", "--gpu", "NVIDIA Z1", "--gpu-memory-gib", "40");
    expect(figures).toMatchObject({ gpuModel: "NVIDIA Z1", gpuMemoryGiB: 40 });
    expect(figures.notes).toContainEqual(expect.stringContaining('the catalogue has no card "NVIDIA Z1"'));
  });

  it("refuses a context above the model's limit, and says which is possible", async () => {
    const { code, out } = await run("phi-4", "--context", "200000", "--card", "H100");
    expect(code).toBe(1);
    expect(out).toMatch(/does not start: a context of 200,000 tokens .* 16,384/);
    expect(out).toMatch(/to make it fit +--context 16384 /);
  });

  it("proposes what fits, and each proposal does", async () => {
    const question = ["llama-3.3-70b-instruct", "--gpu", "H200", "--context", "16384", "--concurrency", "64"];
    const { fits, remedies } = await json(...question);
    expect(fits).toBe(false);
    const options = (remedies as { options: string }[]).map((remedy) => remedy.options);
    expect(options.map((text) => text.replace(/\d+/g, "N"))).toEqual(["--tp N"]);
    const smaller = await json(...question.slice(0, 3), "--context", "16384", "--concurrency", "8", "--tp", "2");
    expect(smaller.fits).toBe(true);
    const loaded = ["gpt-oss-120b", "--gpu", "H200", "--context", "16384", "--concurrency", "64"];
    const all = (await json(...loaded)).remedies as { options: string }[];
    expect(all.map((remedy) => remedy.options.split(" ")[0])).toEqual(["--tp", "--context", "--concurrency"]);
    for (const remedy of all) {
      const [option = "", value = ""] = remedy.options.split(" ");
      const at = loaded.indexOf(option);
      const asked = at < 0 ? [...loaded, option, value] : loaded.with(at + 1, value);
      expect(await json(...asked)).toMatchObject({ fits: true });
    }
  });

  it("proposes a parallelism that starts where the one given does not", async () => {
    const { remedies } = await json("microsoft/phi-4", "--tp", "4", "--gpu", "L40S");
    expect(remedies).toEqual([expect.objectContaining({ options: "--tp 1" })]);
  });

  it("names the cheapest machines that hold the load, in the order of their prices", async () => {
    const { cheapestShapes, ownCards } = (await json("llama-3.3-70b-instruct", "--concurrency", "16")) as {
      cheapestShapes: { shape: string; usdPerHour: number; tensorParallel: number }[];
      ownCards: { gpu: string; gpus: number }[];
    };
    const prices = cheapestShapes.map(({ usdPerHour }) => usdPerHour);
    expect(prices).toHaveLength(3);
    expect(prices).toEqual([...prices].sort((a, b) => a - b));
    for (const { shape, tensorParallel } of cheapestShapes) {
      const argv = ["llama-3.3-70b-instruct", "--concurrency", "16", "--shape", shape, "--tp", String(tensorParallel)];
      expect(await json(...argv)).toMatchObject({ fits: true });
    }
    expect(ownCards.length).toBeGreaterThan(0);
  });

  it("lays the model out on a shape as the plan would, with the five-step rule beside it", async () => {
    const figures = await json("llama-3.3-70b-instruct", "--shape", "p5.48xlarge", "--concurrency", "16");
    expect(figures).toMatchObject({ tensorParallel: 4, pipelineParallel: 1, fits: true });
    const { out } = await run("llama-3.3-70b-instruct", "--shape", "p5.48xlarge", "--concurrency", "16");
    expect(out).toMatch(/five-step rule +1\. parameters of the model: 70\.6 billion\n/);
    expect(out).toContain("3. GPU memory: 70.6 × 4 bytes / (32 / 16) × 1.2 = 169.3 GB\n");
    expect(out).toContain("5. nodes: ⌈169.3 / 640⌉ = 1\n");
    expect((await run("llama-3.3-70b-instruct")).out).not.toContain("five-step");
  });

  it("says what a card cannot run as the plan does, and proposes other machines only", async () => {
    const figures = await json("gpt-oss-20b", "--gpu", "t4");
    expect(figures).toMatchObject({ fits: false, remedies: [], layoutProblems: [] });
    expect(figures.refusals).toEqual([expect.stringMatching(/^NVIDIA T4 has compute capability 7\.5, and vLLM needs/)]);
    expect((figures.cheapestShapes as unknown[]).length).toBeGreaterThan(0);
  });

  it("judges a card by the release that is asked, and is not sure of one that was not read", async () => {
    const ask = ["llama-3.1-70b-instruct-fp8", "--card", "a100-80gb", "--tp", "2"];
    const answer = async (version: string) => {
      const argv = [...ask, "--vllm-version", version];
      const { fits, verdict } = await json(...argv);
      return { code: (await run(...argv)).code, fits, verdict };
    };
    expect(await answer("0.11.2")).toMatchObject({
      code: 1,
      fits: false,
      verdict: { answer: "no", decides: "engine" },
    });
    expect(await answer("0.33.0")).toMatchObject({ code: 0, fits: true, verdict: { answer: "fits" } });
    expect(await answer("0.34.0")).toMatchObject({
      code: 1,
      fits: false,
      verdict: { answer: "edge", decides: "engine" },
    });
  });

  it("sizes a format that the checkpoint lacks, and says that a plan needs such a checkpoint", async () => {
    const figures = await json("qwen3-8b", "--quantization", "awq");
    expect(figures).toMatchObject({ fits: true, weightFormat: "awq-int4-group-128" });
    expect(figures.notes).toContainEqual(expect.stringContaining("in a plan this takes a checkpoint of its own"));
  });

  it.each([
    ["a format that it has no more", ["llama-3.1-8b", "--quantization", "bitsandbytes"], "quantization bitsandbytes"],
    ["a number type that the family overflows in", ["gemma-2-9b-it", "--dtype", "float16"], "vLLM refuses float16"],
    ["a version before V1", ["llama-3.1-8b", "--vllm-version", "0.7.3"], "the engine before V1"],
  ])("does not fit, and on no machine, where vLLM refuses %s", async (_what, argv, reason) => {
    const figures = await json(...argv, "--card", "h100");
    expect(figures).toMatchObject({ fits: false, verdict: { answer: "no", decides: "engine" } });
    expect(figures.refusals).toContainEqual(expect.stringContaining(reason));
    const { code, out } = await run(...argv, "--card", "h100");
    expect(code).toBe(1);
    expect(out).not.toMatch(/engine reports|cheapest|own cards/);
  });

  it("reports no pool for Ollama, which logs none", async () => {
    const { out } = await run("llama-3.1-8b", "--engine", "ollama", "--card", "RTX4090");
    expect(out).toMatch(/room for +\d+\.\d\d GiB of KV cache, \d+\.\d\d requests/);
    expect(out).not.toContain("engine reports");
    const many = await run("llama-3.1-70b", "--engine", "ollama");
    expect(many.out).toMatch(/NVIDIA T4 +4 +layers spread/);
    expect(many.out).not.toMatch(/TP \d/);
  });

  it("states what is downloaded, where vLLM makes the format when it loads the weights", async () => {
    const figures = await json("qwen3-8b", "--quantization", "fp8");
    expect(figures.weightsGB).toBeCloseTo(16.38, 2);
    const { out } = await run("qwen3-8b", "--quantization", "fp8");
    expect(out).toMatch(/weights +16\.38 GB in the repository, 9\.44 GB in the format they are loaded as/);
    expect((await json("qwen3-8b", "--quantization", "awq")).weightsGB).toBeLessThan(7);
  });

  it("says why windows do not save what their size suggests", async () => {
    const { out } = await run("gpt-oss-120b", "--context", "16384", "--concurrency", "64", "--gpu", "H200");
    expect(out).toContain("18 layers look back at most 128 tokens; vLLM keeps the batches in flight");
    expect(out).toContain("their windows save memory in contexts above 16,512 tokens only");
  });

  it("sizes for Ollama: on a card, over several, on CPUs", async () => {
    const card = await json("llama-3.2-3b-instruct", "--engine", "ollama", "--gpu", "rtx-4090");
    expect(card).toMatchObject({ engine: { name: "ollama" }, weightFormat: "Q4_K_M", fits: true, layoutProblems: [] });
    expect(card).not.toHaveProperty("vllmVersion");
    const two = await run("llama-3.3-70b-instruct", "--engine", "ollama", "--gpu", "rtx-4090", "--pp", "2");
    expect(two.out).toContain("Ollama 0.32.15 on 2 × NVIDIA GeForce RTX 4090 of 23.52 GiB\n");
    const host = await run("llama-3.2-3b-instruct", "--engine", "ollama", "--host-memory-gib", "8");
    expect([host.code, host.out]).toEqual([0, expect.stringContaining("on CPUs with 8.00 GiB")]);
  });

  it("compares the cards when none is named, and fails for none of them", async () => {
    const question = ["llama-3.3-70b-instruct", "--context", "16384"];
    const { code, out } = await run(...question);
    expect(code).toBe(0);
    expect(out).toContain("no card is named (--card): the figures are for NVIDIA H100 80GB SXM");
    expect(out).toMatch(/card +GPUs +layout +GiB spare +USD\/hour/);
    const { cards } = (await json(...question)) as { cards: Record<string, unknown>[] };
    const of = (gpu: string) => cards.find((card) => card.gpu === gpu);
    expect(of("NVIDIA L40S")).toMatchObject({ fits: true, gpus: 4, tensorParallel: 4 });
    expect(of("NVIDIA H200 141GB SXM")).toMatchObject({ fits: true, gpus: 2 });
    expect(of("AMD Radeon RX 6900 XT")).toMatchObject({ fits: false, reason: expect.stringContaining("gfx1030") });
    // What the table says of a card is what the command says of it.
    for (const { gpu, fits, tensorParallel, pipelineParallel, spareGiB } of cards.slice(3, 7)) {
      const asked = await json(
        ...question,
        "--card",
        String(gpu),
        "--tp",
        `${tensorParallel}`,
        "--pp",
        `${pipelineParallel}`,
      );
      const { limitGiB, neededTotalGiB } = asked.perGpu as { limitGiB: number; neededTotalGiB: number };
      expect(asked.fits).toBe(fits);
      expect(limitGiB - neededTotalGiB).toBeCloseTo(Number(spareGiB), 6);
    }
  });

  it("fails for the card that is named, under each of its spellings, and says what would do", async () => {
    for (const option of ["--card", "--gpu", "--gpu-model"]) {
      const { code, out } = await run("llama-3.1-8b", option, "t4");
      expect(code).toBe(1);
      expect(out).toContain("--tp 2  (2 GPUs of the same kind");
    }
  });

  it("says of a card of AMD what serves on it, what it needs to, and what AMD thinks of it", async () => {
    const vllm = await run("llama-3.2-1b-instruct", "--card", "rx-6900-xt");
    expect(vllm.code).toBe(1);
    expect(vllm.out).toContain("does not start: AMD Radeon RX 6900 XT is gfx1030, and the image of vLLM");
    expect(vllm.out).toContain("what serves on AMD Radeon RX 6900 XT: --engine ollama");
    const ollama = await run("llama-3.2-1b-instruct", "--card", "rx-6700-xt", "--engine", "ollama");
    expect([ollama.code, ollama.out]).toEqual([0, expect.stringContaining("HSA_OVERRIDE_GFX_VERSION=10.3.0")]);
    expect(ollama.out).not.toMatch(/1 × AMD Radeon RX 7600/);
    const none = await run("llama-3.2-1b-instruct", "--card", "mi50-32gb", "--engine", "ollama");
    expect([none.code, none.out]).toEqual([1, expect.stringContaining("no engine here serves on AMD Instinct MI50")]);
  });

  it("counts vLLM's flags: whole experts are proposed where they are what keeps it from starting", async () => {
    const question = ["MiniMaxAI/MiniMax-M2.5", "--card", "H100 80GB SXM", "--tp", "8"];
    const split = await json(...question);
    expect(split).toMatchObject({
      fits: false,
      refusals: [expect.stringContaining("1536"), expect.anything(), expect.anything()],
    });
    expect(split.remedies).toContainEqual({ options: "--enable-expert-parallel", text: expect.anything() });
    expect(await json(...question, "--enable-expert-parallel")).toMatchObject({ fits: true, refusals: [] });
  });

  it("refuses bfloat16 by name on a card without it, and starts in half", async () => {
    const question = ["qwen2.5-7b-instruct", "--card", "t4", "--tp", "4"];
    const asked = await json(...question, "--dtype", "bfloat16");
    expect(asked).toMatchObject({ fits: false, refusals: [expect.stringContaining("dtype half would do")] });
    expect(await json(...question, "--dtype", "bfloat16", "--vllm-version", "0.19.0")).toMatchObject({ fits: false });
    expect(await json(...question, "--dtype", "half")).toMatchObject({ refusals: [] });
  });

  it("takes a name without its form for the board with NVLink, and names the others", async () => {
    const { code, out } = await run("llama-3.1-8b", "--card", "h100");
    expect(code).toBe(0);
    expect(out).toContain("NVIDIA H100 80GB SXM is meant, not NVIDIA H100 PCIe or NVIDIA H100 NVL 94GB");
    expect(await json("llama-3.1-8b", "--card", "h100 nvl")).toMatchObject({ gpuMemoryGiB: 93.1 });
    expect(await json("llama-3.1-8b", "--card", "h20")).toMatchObject({ gpuMemoryGiB: 95 });
  });

  it("says for which card an unknown one is taken", async () => {
    const { out } = await run("llama-3.1-8b", "--card", "Intel Gaudi 3", "--gpu-memory-gib", "128");
    expect(out).toMatch(/no card "Intel Gaudi 3": .* the H100, with NVLink/);
  });

  it("prints its usage on request", async () => {
    expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("Usage: npm run model") });
  });

  it.each([
    [["--tp", "1"], "expected one model, got 0"],
    [["a", "b"], "expected one model, got 2"],
    [["llama-3.1-8b", "--gpu", "H900"], '--gpu "H900" is not in the catalogue'],
    [["llama-3.1-8b", "--gpu-model", "A100"], "can be NVIDIA A100 40GB SXM, NVIDIA A100 80GB SXM: write which"],
    [["llama-3.1-8b", "--shape", "p5.48xlarg"], 'did you mean "p5.48xlarge"?'],
    [["llama-3.1-8b", "--shape", "h100"], "--card h100"],
    [["llama-3.1-8b", "--shape", "VM.Standard.A1.Flex"], "has no GPU"],
    [["llama-3.1-8b", "--shape", "p5.48xlarge", "--gpu", "H200"], "give one of --shape and --gpu"],
    [["llama-3.1-8b", "--engine", "sglang"], `--engine must be one of ${engineNames.join(", ")}`],
    [["llama-3.1-8b", "--engine", "ollama", "--tp", "2"], "--tp is an option of vLLM"],
    [["llama-3.1-8b", "--quantization", "Q4_K_M"], "is a format of ollama: add --engine ollama"],
    [["llama-3.1-8b", "--engine", "ollama", "--quantization", "awq"], "is a format of vllm"],
    [["llama-3.1-8bb"], 'did you mean "llama-3.1-8b'],
    [["llama-3.1-8b", "--kv-dtype", "constructor"], "--kv-dtype must be one of"],
    [["no-such-model"], "neither a file nor a model of the catalogue"],
    [["llama-3.1-8b", "--tp", "0"], '--tp must be a whole number above 0, is "0"'],
    [["llama-3.1-8b", "--tp", "two"], '--tp must be a whole number above 0, is "two"'],
    [["llama-3.1-8b", "--context", "1e400"], "--context must be"],
    [["llama-3.1-8b", "--utilization", "1.5"], "--utilization must be"],
    [["llama-3.1-8b", "--pp", "33"], "--pp 33 exceeds the 32 layers of the model"],
    [[tmpdir()], "has no config.json: name the one that holds it"],
    [["llama-3.1-8b", "--kv-dtype", "int3"], "--kv-dtype must be one of"],
    [["llama-3.1-8b", "--quantization", "q99"], '"q99" is not known'],
    [["llama-3.1-8b", "--vllm-version", "new"], "--vllm-version must look like"],
    [["llama-3.1-8b", "--no-such-flag"], "--no-such-flag"],
    [["llama-3.1-8b", "--tp", ""], "--tp must be"],
  ])("refuses %j with status 2 and without a stack trace", async (argv, message) => {
    const { code, out, err } = await run(...argv);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(message);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it.each([
    ["an empty file", ""],
    ["truncated JSON", '{"model_type": "llama", "hidden_size": 40'],
    ["a list", "[]"],
    ["hostile numbers", '{"model_type": "llama", "num_hidden_layers": 1e308, "hidden_size": -1, "vocab_size": "x"}'],
    ["an unknown family", '{"model_type": "brontosaurus"}'],
    ["a prototype key", '{"__proto__": {"model_type": "llama"}}'],
    ["binary data", "\u0000\u0001\u0002"],
  ])("refuses %s with status 2 and names the problem", async (_what, content) => {
    const path = join(mkdtempSync(join(tmpdir(), "model-")), "config.json");
    writeFileSync(path, content);
    const { code, err } = await run(path);
    expect(code).toBe(2);
    expect(err).toContain(`${path} cannot be read:`);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it("refuses a broken hf_quant_config.json as well", async () => {
    const folder = mkdtempSync(join(tmpdir(), "model-"));
    writeFileSync(join(folder, "config.json"), '{"model_type": "llama"}');
    writeFileSync(join(folder, "hf_quant_config.json"), "{");
    const { code, err } = await run(folder);
    expect(code).toBe(2);
    expect(err).toContain("hf_quant_config.json");
  });
});
