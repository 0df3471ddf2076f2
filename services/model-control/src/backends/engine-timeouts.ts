/** How long an engine may take, in seconds. */
export interface EngineTimeouts {
  /** From disk into memory: hundreds of gigabytes from a network disk take their time. */
  readonly loadSeconds: number;
  /** Out of memory again, with the requests that are running. */
  readonly unloadSeconds: number;
  /** From the end of a request until the engine's listing shows it. */
  readonly noticeSeconds: number;
  /** A pull whose bytes do not grow. */
  readonly pullStallSeconds: number;
  /** Reading a pulled model again to verify it: an hour is 1.8 TB at 500 MB/s. */
  readonly verifySeconds: number;
}

export const DEFAULT_TIMEOUTS: EngineTimeouts = {
  loadSeconds: 900,
  unloadSeconds: 120,
  noticeSeconds: 1,
  pullStallSeconds: 300,
  verifySeconds: 3600,
};
