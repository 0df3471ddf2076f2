import { setTimeout as sleep } from "node:timers/promises";

/**
 * Polls until the result is true.
 *
 * @param seconds until it returns `false`.
 * @throws the reason of `signal` on abort, and errors of `ask`.
 */
export async function waitUntil(
  ask: () => Promise<boolean>,
  {
    seconds,
    everySeconds,
    signal,
  }: { readonly seconds: number; readonly everySeconds: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    signal.throwIfAborted();
    if (await ask()) {
      return true;
    }
    if (Date.now() >= until) {
      return false;
    }
    // Ignores the timer's abort error; the check above throws the caller's reason.
    await sleep(everySeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}
