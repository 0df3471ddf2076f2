/** Start-ups of vLLM as their logs report them: reading and checking the rows of a file. */
import { type Row, readRows } from "./csv-row";

/** What a start-up was asked for, and what its log says. GiB are of one GPU. */
export interface StartUp {
  readonly line: number;
  readonly model: string;
  /** Label of the card, as the log's reader wrote it. */
  readonly gpu: string;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  /** Number type or weight format, in the log's words. */
  readonly format: string;
  /** Undefined: the model's own limit. */
  readonly maxModelLen?: number;
  /** Undefined: the release's default. */
  readonly utilization?: number;
  /** Undefined where the log does not tell. */
  readonly version?: string;
  readonly source: string;
  /** As PyTorch reports it, where the log tells; else the catalogue's figure for the card. */
  readonly gpuMemoryGiB?: number;
  /** Undefined: not known. */
  readonly installedFrom?: "image" | "pip";
  readonly weightsGiB?: number;
  readonly kvCacheGiB?: number;
  readonly kvTokens?: number;
}

const required = ["model", "gpu", "tp", "pp", "dtype_or_quant", "max_model_len", "gpu_memory_utilization"] as const;
const measured = ["weights_gib_per_gpu", "kv_cache_gib_per_gpu", "kv_tokens", "vllm_version", "source"] as const;
/** What other files may add. */
const optional = ["gpu_memory_gib", "installed_from"] as const;

type Column = (typeof required | typeof measured | typeof optional)[number];

/**
 * Reads a file with the columns of test/fixtures/vllm-measured.csv; others are left out. Empty cells are unknown.
 * @throws CsvError with every mistake, by line and column
 */
export function readStartUps(text: string): readonly StartUp[] {
  return readRows<Column, StartUp>(text, { what: "start-up", required: [...required, ...measured], read: startUpOf });
}

function startUpOf(row: Row<Column>): StartUp {
  return {
    line: row.line,
    model: row.name("model"),
    gpu: row.name("gpu"),
    tensorParallel: row.whole("tp", 1024) ?? 1,
    pipelineParallel: row.whole("pp", 1024) ?? 1,
    format: row.text("dtype_or_quant"),
    maxModelLen: row.whole("max_model_len", 2 ** 31),
    utilization: row.number("gpu_memory_utilization", 1),
    version: row.version("vllm_version"),
    source: row.text("source"),
    gpuMemoryGiB: row.number("gpu_memory_gib", 10_000),
    installedFrom: row.oneOf("installed_from", ["image", "pip"]),
    weightsGiB: row.number("weights_gib_per_gpu", 10_000),
    kvCacheGiB: row.number("kv_cache_gib_per_gpu", 10_000),
    kvTokens: row.whole("kv_tokens", 2 ** 40),
  };
}
