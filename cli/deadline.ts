/** A time after which what waits for a server gives up, or earlier at Ctrl-C. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** For whoever is done: what it asked stays as it is. */
  stop(): void;
  /** Before its time. */
  end(reason: Error): void;
}

/**
 * Its own timer, not `AbortSignal.timeout`: Node 20 may collect such a signal when only `AbortSignal.any` or a request holds it, and
 * then nobody ends the wait.
 */
export function deadline(seconds: number): Deadline {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${seconds} s`)), seconds * 1000);
  return {
    signal: limit.signal,
    stop: () => clearTimeout(timer),
    end: (reason) => {
      clearTimeout(timer);
      limit.abort(reason);
    },
  };
}
