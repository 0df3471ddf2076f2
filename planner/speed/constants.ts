/** What is reached of datasheets, resolved for one card, link and engine from rows with sources (constants.json). */
import table from "./constants.json";
import type { CardFamily, LinkSpeed } from "./types";

/** Numbers that the formulas take. Shares are of the datasheet, 0 to 0.97. */
export interface Coefficients {
  /** Share of memory bandwidth that matrix products of few tokens reach. */
  readonly weightBandwidth: number;
  /** Of it, what the engine's kernels reach. */
  readonly engineBandwidth: number;
  /** Of it, what products of routed experts reach. */
  readonly expertBandwidth: number;
  /** Of it, what is reached of weights that are unpacked on the way. */
  readonly unpackedBandwidth: number;
  /** The same of routed experts. */
  readonly unpackedExperts: number;
  /** Share of memory bandwidth that attention reaches. */
  readonly kvBandwidth: number;
  /** Share of the peak that matrix products of some hundred tokens reach. */
  readonly decodeCompute: number;
  /** Share of the peak that prompts reach. */
  readonly prefillCompute: number;
  /** Of it, what the engine's kernels reach: 1 for releases of today. */
  readonly engineCompute: number;
  /** Of it, what experts reach: their products are smaller. */
  readonly expertCompute: number;
  /** Of the peak in 8 and 4 bits, what is left beside that in 16. */
  readonly fp8Compute: number;
  readonly fp4Compute: number;
  /** Latency of one all-reduce, microseconds. */
  readonly allReduceUs: number;
  /** Share of the link's bandwidth that the exchanges of a step reach: each GPU reads the others' memory. */
  readonly linkBandwidth: number;
  /** The same of large exchanges, which are passed round in pieces. */
  readonly bulkBandwidth: number;
  /** What the latter take longer to begin, microseconds. */
  readonly bulkUs: number;
  /** Of the engine, per step: scheduling, sampling, detokenization. */
  readonly stepMs: number;
  /** Kernels of a layer that wait for each other, microseconds. */
  readonly layerUs: number;
  /** The same of routing to experts. */
  readonly moeLayerUs: number;
  /** The same of an indexer that chooses what a sparse attention reads. */
  readonly indexerUs: number;
  /** Of the engine, per running sequence and step, microseconds. */
  readonly sequenceUs: number;
  /** What load generators measure before the first token beside the engine: their tokenization, HTTP, buffered streams. */
  readonly clientMs: number;
  /**
   * Launching one kernel, microseconds, where an engine records no graphs of them: the processor does so while
   * the card still computes, and the slower of the two decides. 0 with graphs.
   */
  readonly launchUs: number;
  /** Factor on what a machine's processors do: those beside older cards are slower. 1 beside the cards of today. */
  readonly hostTime: number;
  /** Factor on the engine's own time: 1 for releases of today. */
  readonly oldEngine: number;
  /**
   * Whether steps take parts of prompts along (1), or prompts are read in passes of their own (0): the former read the weights
   * once for both.
   */
  readonly mixing: number;
  /** What an engine does for each request before its prompt and after its first token: front end, queue, first pass. */
  readonly requestMs: number;
  /** Steps that are scheduled already when one begins: a request that arrives then waits for them too. */
  readonly stepsAhead: number;
  /** Share of other requests' prompts that a request waits for between two tokens: steps overlap the rest. */
  readonly overlap: number;
  /** Share of the time in which the stages of a pipeline have work. */
  readonly pipelineUse: number;
  /** 99th percentile of the time per output token over its mean, under random load. */
  readonly tpotP99: number;
  /** Share of the KV pool that a stable load fills. */
  readonly kvUse: number;
  /** Share of the time that prompts may take in a stable load. */
  readonly prefillUse: number;
}

export type ConstantName = keyof Coefficients;

/** One fitted figure. */
export interface ConstantRow {
  readonly constant: ConstantName;
  /** Family of cards, kind of link, engine, `engine@year`, or `*`. */
  readonly of: string;
  readonly value: number;
  /** What was known before the fit, and how well: standard deviation of its logarithm, 0 for what is not fitted. */
  readonly prior: number;
  readonly spread: number;
  /** What physics allows. */
  readonly least: number;
  readonly most: number;
  readonly source: string;
}

/** Releases of an engine that behave alike. */
export interface EngineEra {
  readonly engine: string;
  /** First version that does not. */
  readonly before: string;
  readonly year: string;
  readonly source: string;
}

export const constantRows = table.rows as readonly ConstantRow[];
const eras: readonly EngineEra[] = table.eras;

/** What a row is looked up by. */
export interface ConstantKeys {
  readonly family: CardFamily;
  readonly link?: LinkSpeed["kind"];
  readonly engine: { readonly name: string; readonly version?: string };
}

/** Rows by constant and what they are of: made once per table, so that a search does not scan it. */
export class ConstantTable {
  private readonly values = new Map<string, number>();
  private readonly names: readonly ConstantName[];
  private readonly resolved = new Map<string, Coefficients>();

  constructor(rows: readonly ConstantRow[]) {
    for (const { constant, of, value } of rows) {
      this.values.set(`${constant} ${of}`, value);
    }
    this.names = [...new Set(rows.map(({ constant }) => constant))];
  }

  /** The most particular row of each constant: engine of a year, engine, link, family, all. */
  resolve({ family, link, engine }: ConstantKeys): Coefficients {
    const keys = [
      ...engineEras(engine.name, engine.version).map((era) => `${engine.name}@${era}`),
      engine.name,
      ...(link === undefined ? [] : [link]),
      family,
      "*",
    ];
    const key = keys.join(" ");
    const known = this.resolved.get(key);
    if (known !== undefined) {
      return known;
    }
    const entries = this.names.map((name) => {
      const of = keys.find((each) => this.values.has(`${name} ${each}`));
      // Without a link there is nothing to reduce over.
      return [name, of === undefined ? 0 : (this.values.get(`${name} ${of}`) ?? 0)] as const;
    });
    const coefficients = Object.fromEntries(entries) as unknown as Coefficients;
    this.resolved.set(key, coefficients);
    return coefficients;
  }
}

export const ownConstants = new ConstantTable(constantRows);

/**
 * Years of the releases that a version is of or older than, where they differ from today's, the earliest first: what an old one
 * lacked, those before it lacked too. A year stands for itself.
 */
export function engineEras(engine: string, version: string | undefined): readonly string[] {
  if (version === undefined) {
    return [];
  }
  return eras
    .filter((era) => era.engine === engine)
    .filter((era) => (/^20\d\d/.test(version) ? version.slice(0, 4) <= era.year : isOlder(version, era.before)))
    .map(({ year }) => year);
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((each) => each.split(".").map((part) => Number.parseInt(part, 10)));
  for (let index = 0; index < Math.max(a?.length ?? 0, b?.length ?? 0); index++) {
    const difference = (a?.[index] ?? 0) - (b?.[index] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}
