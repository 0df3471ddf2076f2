import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cardOf } from "./cards";
import { CsvError, parseCsv } from "./csv";
import { memoryFailures, OWN_ROWS, readFileOfStartUps } from "./index";
import { ModelIndex } from "./models";
import { outcomesOf } from "./outcome";
import { refit } from "./refit";
import { laboratoryOf, tablesOf } from "./report";
import { readStartUps } from "./start-ups";

const header =
  "model,gpu,gpus,tp,pp,dtype_or_quant,max_model_len,gpu_memory_utilization,weights_gib_per_gpu,kv_cache_gib_per_gpu,kv_tokens,load_seconds,vllm_version,source";

function mistakes(text: string): readonly string[] {
  try {
    readStartUps(text);
    return [];
  } catch (error) {
    if (error instanceof CsvError) {
      return error.problems;
    }
    throw error;
  }
}

describe("files of start-ups", () => {
  it("are read with quotes, empty cells and either end of line", () => {
    const [cells] = parseCsv('a,b,c\r\n"x, ""y""",,3\r\n');
    expect([...(cells ?? [])].map(([name, { text }]) => [name, text])).toEqual([
      ["a", 'x, "y"'],
      ["b", ""],
      ["c", "3"],
    ]);
  });

  it("name every mistake by line and column", () => {
    expect(mistakes(`${header}\nx,H100,1,two,1,bf16,-5,3,1,1,1,1,newest,y`)).toEqual([
      'line 2, column 10 (tp): must be a number above 0 and up to 1024, or empty, is "two"',
      expect.stringMatching(/^line 2, column \d+ \(max_model_len\): /),
      expect.stringMatching(/^line 2, column \d+ \(gpu_memory_utilization\): /),
      expect.stringMatching(/^line 2, column \d+ \(vllm_version\): .* is "newest"$/),
    ]);
    expect(mistakes("")).toEqual(["the file is empty; its first line must name the columns"]);
    expect(mistakes("model,gpu\nx,y")[0]).toMatch(/^line 1: column tp, pp, .* is missing$/);
    expect(mistakes(`${header}\nx,H100`)).toEqual(["line 2: 2 cells under 14 columns"]);
    expect(mistakes(`${header}\n"x`)).toEqual(["line 2, column 1: the quote is not closed"]);
    expect(mistakes(`${header}\n${"x".repeat(5_000_001)}`)[0]).toMatch(/at most 5000000 are read/);
  });

  it("are rows or mistakes, never another error", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a1,"\n\r.- '), maxLength: 200 }), (text) => {
        mistakes(text);
        mistakes(`${header}\n${text}`);
      }),
    );
  });
});

describe("labels of cards", () => {
  it.each([
    ["H100-80GB", 0, "NVIDIA H100 80GB SXM"],
    ["8x H200", 0, "NVIDIA H200 141GB SXM"],
    ["L40S 48GB", 0, "NVIDIA L40S"],
    ["2x RTX 5090", 0, "NVIDIA GeForce RTX 5090"],
    ["MI300X", 0, "AMD Instinct MI300X"],
    ["A100", 30, "NVIDIA A100 40GB SXM"],
    ["A100", 60, "NVIDIA A100 80GB SXM"],
    ["Gaudi 3", 0, undefined],
  ])("%s with %d GiB in use is %s", (label, holdsGiB, model) => {
    expect(cardOf(label, holdsGiB)?.model).toBe(model);
  });
});

describe("models of start-ups", () => {
  const models = new ModelIndex();
  it.each([
    ["RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic", "compressed-tensors fp8-dynamic", "fp8-row", "auto"],
    ["meta-llama/Llama-3.1-8B-Instruct", "bf16, fp8 kv cache", "bfloat16", "fp8"],
    ["RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "", "int4", "auto"],
    ["deepseek-ai/DeepSeek-R1", "fp8", "fp8-block-128x128", "auto"],
  ])("%s as %s is %s", (model, column, format, kvCacheDtype) => {
    const found = models.resolve(model, column);
    expect(found.architecture.quantization.name).toContain(format);
    expect(found.kvCacheDtype).toBe(kvCacheDtype);
  });

  it("that are not at hand, and cards and releases that are not known, are listed with the reason", () => {
    const rows = `${header}\nx/unknown,H100,1,1,1,bf16,8192,0.9,1,1,1,1,0.19.0,y\nmeta-llama/Llama-3.1-8B,Gaudi 3,1,1,1,bf16,8192,0.9,1,1,1,1,0.19.0,y\nmeta-llama/Llama-3.1-8B,H100,1,1,1,bf16,8192,0.9,1,1,1,1,,y`;
    const { outcomes, unresolved } = outcomesOf(readStartUps(rows), models);
    expect(outcomes).toEqual([]);
    expect(unresolved.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('no configuration of "unknown" is at hand'),
      expect.stringContaining('the catalogue has no card "Gaudi 3"'),
      "the log does not tell the vLLM version",
    ]);
  });
});

describe("the report", () => {
  const { outcomes, unresolved } = outcomesOf(readFileOfStartUps(OWN_ROWS), new ModelIndex());

  it("has a row for each class, and one for each that is left out", () => {
    const tables = tablesOf(outcomes, unresolved);
    expect(tables[0]?.rows[0]?.slice(0, 2)).toEqual(["all", String(outcomes.length)]);
    for (const { columns, rows } of tables) {
      for (const row of rows) {
        expect(row.length).toBe(columns.length);
      }
    }
    expect(tables.filter(({ title }) => title.startsWith("Leave one")).length).toBe(3);
  });

  it("fails without an estimate, and for a start-up of the tests that has none", () => {
    expect(memoryFailures(outcomes, unresolved)).toEqual([]);
    const [startUp] = readFileOfStartUps(OWN_ROWS);
    expect(memoryFailures([], startUp ? [{ startUp, reason: "no such card" }] : [])).toEqual([
      "no start-up could be estimated",
      `line ${startUp?.line} could not be estimated: no such card`,
    ]);
  });

  it("keeps parts that too few start-ups show", () => {
    expect(refit([])).toEqual({
      scales: { activationGiB: 1, nonTorchGiB: 1, graphsGiB: 1 },
      kept: ["activationGiB", "nonTorchGiB", "graphsGiB"],
    });
  });

  it("knows a laboratory by where it published", () => {
    expect(laboratoryOf("https://github.com/vllm-project/vllm/issues/1")).toBe("github.com/vllm-project/vllm");
    expect(laboratoryOf("https://myoceane.fr/index.php/x/")).toBe("myoceane.fr");
    expect(laboratoryOf("a note, 2026")).toBe("a note");
  });
});
