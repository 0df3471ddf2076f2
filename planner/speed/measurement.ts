/** A model's measurements on a card: `npm run measure` writes, the planner reads. Plain data. */

/** Milliseconds, one load. */
export interface MeasuredFigure {
  readonly median: number;
  readonly mean?: number;
  readonly p99?: number;
  /** Relative spread of repeated measurements (95 %). @default unknown */
  readonly error?: number;
}

/** Closed loop with a constant number of requests in flight. */
export interface MeasuredLoad {
  readonly inFlight: number;
  /** Means. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Common prefix of all requests. */
  readonly sharedPrefixTokens: number;
  /** Successful, and failed ones in addition. */
  readonly requests: number;
  readonly failed: number;
  /** From sending to first token. */
  readonly ttftMs: MeasuredFigure;
  /** Per further token; absent if unreported. */
  readonly tpotMs?: MeasuredFigure;
  readonly e2eMs?: MeasuredFigure;
  /** All requests together. */
  readonly tokensPerSecond: { readonly value: number; readonly error?: number };
  /** Average share of the KV cache, and the maximum of any replica. @default unreported */
  readonly kvCacheUsage?: { readonly mean: number; readonly max: number };
}

/** Figures are valid for this only. */
export interface MeasuredSubject {
  /** Catalogue card; for models on CPUs the machine's shape. */
  readonly card: string;
  readonly engine: string;
  readonly engineVersion: string;
  /** Catalogue name or source of the weights. */
  readonly model: string;
  /** Set where the format differs from the checkpoint's. */
  readonly quantization?: string;
  readonly kvCacheDtype?: string;
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
}

export interface SpeedMeasurement extends MeasuredSubject {
  /** Measuring program and version. */
  readonly by: string;
  /** UTC, to the second. */
  readonly measuredAt: string;
  /** False: ended early, or a load is missing. */
  readonly complete: boolean;
  readonly loads: readonly MeasuredLoad[];
}
