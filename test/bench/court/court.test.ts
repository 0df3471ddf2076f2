import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fixtureConfig } from "../../planner/model/fixtures";
import { CsvError } from "../memory/csv";
import { ModelIndex } from "../memory/models";
import { readCases } from "./cases";
import { OWN_CASES, readFileOfCases } from "./index";
import { judgeAll } from "./judge";
import { scoreOf, tablesOf } from "./report";

const HEADER =
  "id,source,date,engine,engine_version,version_dated,model,quantization,dtype,kv_dtype,card,gpu_memory_gib,gpus,tp,pp,max_model_len,gpu_memory_utilization,max_num_seqs,other_flags,outcome,message_figures,how_sure,config";

const ROW = {
  id: "1",
  engine_version: "0.33.0",
  version_dated: "false",
  model: "org/model",
  card: "H100",
  gpus: "1",
  tp: "1",
  pp: "1",
  max_model_len: "8192",
  outcome: "starts",
  how_sure: "3",
};

function rows(...changes: readonly Readonly<Record<string, string>>[]): string {
  const lines = changes.map((change) => {
    const row: Readonly<Record<string, string | undefined>> = { ...ROW, ...change };
    return HEADER.split(",")
      .map((column) => `"${row[column] ?? ""}"`)
      .join(",");
  });
  return [HEADER, ...lines].join("\n");
}

const folder = mkdtempSync(join(tmpdir(), "court-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judgedOf(...changes: readonly Readonly<Record<string, string>>[]) {
  writeFileSync(join(folder, "config.json"), JSON.stringify(fixtureConfig("meta-llama--Llama-3.1-8B")));
  const withConfig = changes.map((change) => ({ config: "config.json", ...change }));
  return judgeAll(readCases(rows(...withConfig)), new ModelIndex(), folder);
}

describe("cases of starts and failures", () => {
  it("are read with every mistake at its line and column", () => {
    const problemsOf = (text: string) => {
      try {
        readCases(text);
        return [];
      } catch (error) {
        return error instanceof CsvError ? error.problems : [String(error)];
      }
    };
    expect(problemsOf(rows({ max_model_len: "8k", outcome: "maybe" }, { tp: "two" }))).toEqual([
      expect.stringMatching(/^line 2, .*max_model_len/),
      expect.stringMatching(/^line 2, .*outcome/),
      expect.stringMatching(/^line 3, .*tp/),
    ]);
    expect(problemsOf("id,model\n1,x")).toEqual([expect.stringContaining("engine_version")]);
  });

  it("are asked with the flags of the thread", async () => {
    const { judged } = await judgedOf(
      { max_model_len: "default 131072" },
      { max_model_len: "default" },
      { gpus: "2", tp: "2" },
      { card: "A10", other_flags: "--max-num-seqs 4 --enforce-eager" },
      { card: "some card", gpu_memory_gib: "14" },
      { quantization: "fp8" },
    );
    expect(judged.map(({ answer, decides }) => [answer, decides])).toEqual([
      ["fits", "KV cache"],
      ["fits", "KV cache"],
      ["fits", "KV cache"],
      ["fits", "KV cache"],
      ["no", "weights"],
      ["fits", "KV cache"],
    ]);
    const [whole, own, two, eager] = judged;
    expect(whole?.needGiB).toBe(own?.needGiB);
    expect(two?.needGiB).toBeLessThan(whole?.needGiB ?? 0);
    expect(eager?.needGiB).toBeLessThan(18);
  });

  it("are listed where nobody can ask, each with the reason", async () => {
    const { judged, notScored } = await judgedOf(
      { gpus: "8" },
      { card: "some card" },
      { config: "", model: "org/never-heard-of" },
      { config: "elsewhere.json" },
    );
    expect(judged).toEqual([]);
    expect(notScored).toHaveLength(4);
    expect(notScored.every(({ reason }) => reason !== "")).toBe(true);
  });

  it("count where they are sure", async () => {
    const { judged, notScored } = await judgedOf(
      {},
      { outcome: "kv_too_small", card: "some card", gpu_memory_gib: "14" },
      { outcome: "oom_load", how_sure: "1" },
    );
    expect(scoreOf(judged)).toEqual({ failures: 1, caught: 1, refused: 1, starts: 1, accepted: 1, startsOnEdge: 0 });
    expect(
      tablesOf(judged, notScored).every(({ columns, rows: lines }) =>
        lines.every((line) => line.length === columns.length),
      ),
    ).toBe(true);
  });

  it("of this repository are answered as far as configurations are at hand", async () => {
    const { judged } = await judgeAll(readFileOfCases(OWN_CASES), new ModelIndex(), folder);
    const { failures, caught, refused, starts, accepted, startsOnEdge } = scoreOf(judged);
    expect(judged.length).toBeGreaterThanOrEqual(45);
    expect(caught / failures).toBeGreaterThanOrEqual(0.9);
    expect(refused / failures).toBeGreaterThanOrEqual(0.5);
    expect(accepted / starts).toBeGreaterThanOrEqual(0.9);
    expect(startsOnEdge / starts).toBeLessThanOrEqual(0.1);
  });
});
