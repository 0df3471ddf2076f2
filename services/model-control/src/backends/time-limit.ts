/**
 * Runs `work` with a signal and a time limit.
 *
 * @throws the signal's reason on abort; Error "no answer within N s" after the limit, whatever
 *   `work` throws; else the error of `work`.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  seconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  // Not AbortSignal.timeout: Node 20 may collect it when only AbortSignal.any references it.
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

/**
 * Signal that aborts after a time and can be joined with others, unlike `AbortSignal.timeout` (see
 * above).
 */
export function endsAfter(milliseconds: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(
    () => limit.abort(new DOMException(`no answer within ${milliseconds / 1000} s`, "TimeoutError")),
    milliseconds,
  ).unref();
  return limit.signal;
}
