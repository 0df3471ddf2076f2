/** Public accounts of vLLM start-ups that succeeded or failed: reading and checking the rows of a file. */
import { type Row, readRows } from "../memory/csv-row";

export const OUTCOMES = ["starts", "kv_too_small", "oom_load", "oom_warmup", "other", "unsupported"] as const;
export type CourtOutcome = (typeof OUTCOMES)[number];

/** What somebody asked of vLLM, and how that ended. GiB are of one GPU. */
export interface Case {
  readonly line: number;
  readonly id: string;
  readonly source: string;
  /** Repository, `owner/name`. */
  readonly model: string;
  /** Path of its config.json, from the folder of the file. Undefined: what is at hand under its name. */
  readonly config?: string;
  readonly version: string;
  /** The thread names the release; false: it follows from the day. */
  readonly isExactVersion: boolean;
  /** As vLLM's `--quantization`; empty where the checkpoint decides. */
  readonly quantization: string;
  readonly dtype: string;
  readonly kvDtype: string;
  readonly card: string;
  readonly gpuMemoryGiB?: number;
  readonly gpus: number;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  /** Undefined: the model's own limit. */
  readonly contextTokens?: number;
  readonly utilization?: number;
  readonly maxNumSeqs?: number;
  /** Other flags of the command, as it has them. */
  readonly flags: string;
  readonly outcome: CourtOutcome;
  /** From 1, a guess in several respects, to 3. */
  readonly sureness: number;
}

const COLUMNS = [
  "id",
  "source",
  "engine_version",
  "version_dated",
  "model",
  "quantization",
  "dtype",
  "kv_dtype",
  "card",
  "gpu_memory_gib",
  "gpus",
  "tp",
  "pp",
  "max_model_len",
  "gpu_memory_utilization",
  "max_num_seqs",
  "other_flags",
  "outcome",
  "how_sure",
] as const;

type Column = (typeof COLUMNS)[number] | "config";

/**
 * Reads a file with the columns of test/fixtures/vllm-court.csv, and `config` where it has that; others are left out.
 * @throws CsvError with every mistake, by line and column
 */
export function readCases(text: string): readonly Case[] {
  return readRows<Column, Case>(text, { what: "case", required: COLUMNS, read: caseOf });
}

function caseOf(row: Row<Column>): Case {
  const tensorParallel = row.whole("tp", 1024) ?? 1;
  const pipelineParallel = row.whole("pp", 1024) ?? 1;
  const config = row.text("config");
  return {
    line: row.line,
    id: row.name("id"),
    source: row.text("source"),
    model: row.name("model"),
    ...(config !== "" && { config }),
    version: row.version("engine_version") ?? row.name("engine_version"),
    isExactVersion: row.oneOf("version_dated", ["true", "false"]) === "false",
    quantization: row.text("quantization"),
    dtype: row.text("dtype"),
    kvDtype: row.text("kv_dtype"),
    card: row.text("card"),
    gpuMemoryGiB: row.number("gpu_memory_gib", 10_000),
    gpus: row.whole("gpus", 4096) ?? tensorParallel * pipelineParallel,
    tensorParallel,
    pipelineParallel,
    contextTokens: contextOf(row),
    utilization: row.number("gpu_memory_utilization", 1),
    maxNumSeqs: row.whole("max_num_seqs", 2 ** 20),
    flags: row.text("other_flags"),
    outcome: row.oneOf("outcome", OUTCOMES) ?? "other",
    sureness: row.whole("how_sure", 3) ?? 1,
  };
}

/** `default 40960` is what the model's own limit is. */
function contextOf(row: Row<Column>): number | undefined {
  const text = row.text("max_model_len").replace(/^default\s*/, "");
  if (text === "") {
    return undefined;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    row.problem("max_model_len", 'must be a whole number, "default", "default" and a number, or empty');
  }
  return value;
}
