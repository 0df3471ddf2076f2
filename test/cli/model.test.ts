import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../cli/model";

const fixtures = join(__dirname, "../fixtures/models");
const config = (name: string): string => join(fixtures, name, "config.json");

/** Runs the command and collects what it writes. */
async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await main(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

async function json(...argv: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await run(...argv, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
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
    const { code, out } = await run(config("Qwen--Qwen3-30B-A3B"), "--context", "32768", "--concurrency", "4");
    expect(code).toBe(0);
    expect(out).toContain("30.532 billion in all");
    expect(out).toContain("8 of 128 experts; all must be resident");
    expect(out).toContain("98,304 bytes per token");
    expect(out).toMatch(/does not fit: \d+\.\d\d GiB of 72\.85 GiB, \d+\.\d\d GiB missing/);
    expect(out).toContain("measured on vLLM 0.19; applied to 0.33.0");
  });

  it("says when the engine would refuse the layout", async () => {
    const figures = await json(config("microsoft--phi-4"), "--tp", "4");
    expect(figures).toMatchObject({
      fits: false,
      layoutProblems: ["TP 4 neither divides nor is a multiple of the 10 KV heads"],
    });
  });

  it("prints its usage on request", async () => {
    expect(await run("--help")).toMatchObject({ code: 0, out: expect.stringContaining("Usage: npm run model") });
  });

  it.each([
    [["--tp", "1"], "expected one model, got 0"],
    [["a", "b"], "expected one model, got 2"],
    [["no-such-model"], "neither a file nor a model of the catalogue"],
    [["llama-3.1-8b", "--tp", "0"], '--tp must be a whole number above 0, is "0"'],
    [["llama-3.1-8b", "--tp", "two"], '--tp must be a whole number above 0, is "two"'],
    [["llama-3.1-8b", "--context", "1e400"], "--context must be"],
    [["llama-3.1-8b", "--utilization", "1.5"], "utilization must be above 0 and at most 1"],
    [["llama-3.1-8b", "--pp", "33"], "exceeds the model's 32 layers"],
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
