import { setMaxListeners } from "node:events";

/** A time after which what waits for a server gives up, or earlier at Ctrl-C. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** For whoever is done: what it asked stays as it is. */
  stop(): void;
  /** Before its time. */
  end(reason: Error): void;
}

/**
 * A timer, not `AbortSignal.timeout`: Node 20 garbage-collects that signal when only `AbortSignal.any` references it, and the wait
 * never ends. The timer does not keep the process alive; a pending request does. An answer that came while the process computed is read
 * before its time is over.
 */
export function deadline(seconds: number): Deadline {
  const limit = new AbortController();
  // Many requests share it, and Node warns of more than ten.
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
