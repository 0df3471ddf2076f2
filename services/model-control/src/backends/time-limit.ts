/**
 * Runs `work` under the caller's signal and a time limit.
 *
 * @throws the signal's reason when it aborts; Error "no answer within N s" after the limit, whatever `work` makes of it;
 * else what `work` throws.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // Not AbortSignal.timeout: Node 20 may collect such a signal when only AbortSignal.any holds it.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${seconds} s`)), seconds * 1000);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } catch (error) {
    signal.throwIfAborted();
    limit.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that aborts after a time, for whoever hands it on: `AbortSignal.timeout` is lost where it is joined with others, see above. */
export function endsAfter(milliseconds: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(
    () => limit.abort(new DOMException(`no answer within ${milliseconds / 1000} s`, "TimeoutError")),
    milliseconds,
  ).unref();
  return limit.signal;
}
