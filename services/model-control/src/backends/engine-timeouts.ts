/** Engine timeouts, in seconds. */
export interface EngineTimeouts {
  /** Loading may read hundreds of gigabytes from a network disk. */
  readonly loadSeconds: number;
  /** Unloading, including running requests. */
  readonly unloadSeconds: number;
  /** Delay until a finished request appears in the engine's listing. */
  readonly noticeSeconds: number;
  /** Pull without progress. */
  readonly pullStallSeconds: number;
  /** Verification of a pulled model: an hour covers 1.8 TB at 500 MB/s. */
  readonly verifySeconds: number;
}

export const DEFAULT_TIMEOUTS: EngineTimeouts = {
  loadSeconds: 900,
  unloadSeconds: 120,
  noticeSeconds: 1,
  pullStallSeconds: 300,
  verifySeconds: 3600,
};
