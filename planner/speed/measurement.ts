/** What somebody measured of a model on a card: `npm run measure` writes it, the planner reads it. Plain data. */

/** Times of one load, milliseconds. */
export interface MeasuredFigure {
  readonly median: number;
  readonly mean?: number;
  readonly p99?: number;
  /** How far the same measurement made again may lie from it, as a part of it (95 %). @default nobody said */
  readonly error?: number;
}

/** A closed loop: so many requests in flight all the time. */
export interface MeasuredLoad {
  readonly inFlight: number;
  /** Tokens of a request and of its answer, means. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, what all requests begin with. */
  readonly sharedPrefixTokens: number;
  /** Requests behind the figures, and those that failed besides. */
  readonly requests: number;
  readonly failed: number;
  /** To the first token, from when the request was sent. */
  readonly ttftMs: MeasuredFigure;
  /** For each further token; absent where the tool did not say. */
  readonly tpotMs?: MeasuredFigure;
  readonly e2eMs?: MeasuredFigure;
  /** Output tokens of all requests together. */
  readonly tokensPerSecond: { readonly value: number; readonly error?: number };
  /** Share of the KV cache in use: on average, and the most of any replica. @default the tool does not report it */
  readonly kvCacheUsage?: { readonly mean: number; readonly max: number };
}

/** What was measured: figures count for this alone. */
export interface MeasuredSubject {
  /** Name of the card in the catalogue; for a model on CPUs the name of the machine's shape. */
  readonly card: string;
  readonly engine: string;
  readonly engineVersion: string;
  /** Name in the catalogue, or where the weights come from. */
  readonly model: string;
  /** Format of the weights, where it is not the checkpoint's own. */
  readonly quantization?: string;
  readonly kvCacheDtype?: string;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
}

export interface SpeedMeasurement extends MeasuredSubject {
  /** Program and version that measured. */
  readonly by: string;
  /** UTC, to the second. */
  readonly measuredAt: string;
  /** False: it was ended early, or a load is missing. */
  readonly complete: boolean;
  readonly loads: readonly MeasuredLoad[];
}
