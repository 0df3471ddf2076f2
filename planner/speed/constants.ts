/**
 * Achieved fractions of the datasheet, by card, link and engine, from rows with sources
 * (constants.json).
 */
import table from "./constants.json";
import type { CardFamily, LinkSpeed } from "./types";

/** Inputs of the formulas. Shares are of the datasheet, 0 to 0.97. */
export interface Coefficients {
  /** Memory bandwidth share of matrix products with few tokens. */
  readonly weightBandwidth: number;
  /** Factor for the engine's kernels. */
  readonly engineBandwidth: number;
  /** Factor for routed experts. */
  readonly expertBandwidth: number;
  /** Factor for weights that are unpacked. */
  readonly unpackedBandwidth: number;
  /** The same for routed experts. */
  readonly unpackedExperts: number;
  /** Memory bandwidth share of attention. */
  readonly kvBandwidth: number;
  /** Peak share of matrix products with some hundred tokens. */
  readonly decodeCompute: number;
  /** Peak share of prompts. */
  readonly prefillCompute: number;
  /** Factor for the engine's kernels: 1 for current releases. */
  readonly engineCompute: number;
  /** Factor for experts, whose products are smaller. */
  readonly expertCompute: number;
  /** Factor for 8 and 4 bits relative to 16. */
  readonly fp8Compute: number;
  readonly fp4Compute: number;
  /** Latency of an all-reduce, microseconds. */
  readonly allReduceUs: number;
  /** Link bandwidth share of a step's exchanges, where GPUs read each other's memory. */
  readonly linkBandwidth: number;
  /** The same for large exchanges, in a ring. */
  readonly bulkBandwidth: number;
  /** Additional start-up of those, microseconds. */
  readonly bulkUs: number;
  /** Engine time per step: scheduling, sampling, detokenization. */
  readonly stepMs: number;
  /** Dependent kernels of a layer, microseconds. */
  readonly layerUs: number;
  /** For routing to experts. */
  readonly moeLayerUs: number;
  /** For an indexer of sparse attention. */
  readonly indexerUs: number;
  /** Engine time per sequence and step, microseconds. */
  readonly sequenceUs: number;
  /** Client time before the first token in benchmarks: tokenization, HTTP, buffered streams. */
  readonly clientMs: number;
  /**
   * Launch of one kernel, microseconds, for engines without graphs: the slower of processor and
   * card decides. 0 with graphs.
   */
  readonly launchUs: number;
  /** Factor for a machine's processors, slower with older cards. 1 with current cards. */
  readonly hostTime: number;
  /** Factor on engine time: 1 for current releases. */
  readonly oldEngine: number;
  /** 1: steps include parts of prompts, reading weights once for both. 0: separate passes. */
  readonly mixing: number;
  /** Per request before its prompt and after its first token: front end, queue, first pass. */
  readonly requestMs: number;
  /** Steps already scheduled, which an arriving request waits for. */
  readonly stepsAhead: number;
  /** Share of other prompts that delays a token; the rest overlaps. */
  readonly overlap: number;
  /** Utilization of pipeline stages. */
  readonly pipelineUse: number;
  /** 99th percentile over mean of time per token, under random load. */
  readonly tpotP99: number;
  /** Share of the KV pool in a stable load. */
  readonly kvUse: number;
  /** Time share of prompts in a stable load. */
  readonly prefillUse: number;
}

export type ConstantName = keyof Coefficients;

export interface ConstantRow {
  readonly constant: ConstantName;
  /** Family of cards, kind of link, engine, `engine@year`, or `*`. */
  readonly of: string;
  readonly value: number;
  /** Value before the fit, and standard deviation of its logarithm, 0 if not fitted. */
  readonly prior: number;
  readonly spread: number;
  /** Physical bounds. */
  readonly least: number;
  readonly most: number;
  readonly source: string;
}

/** Releases of an engine that behave alike. */
export interface EngineEra {
  readonly engine: string;
  /** First later version. */
  readonly before: string;
  readonly year: string;
  readonly source: string;
}

export const constantRows = table.rows as readonly ConstantRow[];
const eras: readonly EngineEra[] = table.eras;

export interface ConstantKeys {
  readonly family: CardFamily;
  readonly link?: LinkSpeed["kind"];
  readonly engine: { readonly name: string; readonly version?: string };
}

/** Indexed once per table, so that searches do not scan it. */
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

  /** Most specific row per constant: engine of a year, engine, link, family, all. */
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
      // Nothing to reduce without a link.
      return [name, of === undefined ? 0 : (this.values.get(`${name} ${of}`) ?? 0)] as const;
    });
    const coefficients = Object.fromEntries(entries) as unknown as Coefficients;
    this.resolved.set(key, coefficients);
    return coefficients;
  }
}

export const ownConstants = new ConstantTable(constantRows);

/**
 * Eras of a version and all later ones that differ from today, earliest first: an old release also
 * lacks what later old ones lacked. A year is a category.
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
