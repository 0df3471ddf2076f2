import { setMaxListeners } from "node:events";

/** Aborts waiting at a time, or earlier at Ctrl-C. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Disarms it; requests continue. */
  stop(): void;
  /** Ends it early. */
  end(reason: Error): void;
}

/**
 * A timer, because Node 20 garbage-collects `AbortSignal.timeout` when only `AbortSignal.any`
 * references it, and waits never end. It does not keep the process alive; pending requests do. An
 * answer received during computation is read before the timeout fires.
 */
export function deadline(seconds: number): Deadline {
  const limit = new AbortController();
  // Shared by many requests; Node warns above ten.
  setMaxListeners(0, limit.signal);
  const over = () => limit.abort(new Error(`no answer within ${seconds} s`));
  let unread: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    unread = setImmediate(over);
  }, seconds * 1000);
  timer.unref();
  const stop = () => {
    clearTimeout(timer);
    clearImmediate(unread);
  };
  return {
    signal: limit.signal,
    stop,
    end: (reason) => {
      stop();
      limit.abort(reason);
    },
  };
}
