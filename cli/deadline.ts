/** A time after which what waits for a server gives up, or earlier at Ctrl-C. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** For whoever is done: what it asked stays as it is. */
  stop(): void;
  /** Before its time. */
  end(reason: Error): void;
}

/**
 * Its own timer, not `AbortSignal.timeout`: Node 20 collects such a signal when only `AbortSignal.any` holds it, and then nobody ends
 * the wait.
 */
export function deadline(seconds: number): Deadline {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(tooLate(seconds)), seconds * 1000);
  return {
    signal: limit.signal,
    stop: () => clearTimeout(timer),
    end: (reason) => {
      clearTimeout(timer);
      limit.abort(reason);
    },
  };
}

/** A signal that aborts after a time, for whoever hands it on: what waits for a server keeps the process, and this does not. */
export function endsAfter(seconds: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(tooLate(seconds)), seconds * 1000).unref();
  return limit.signal;
}

function tooLate(seconds: number): Error {
  return new Error(`no answer within ${seconds} s`);
}
