import { setTimeout as sleep } from "node:timers/promises";

/**
 * Asks until the answer is yes.
 *
 * @param seconds how long to go on; a negative answer after that is `false`.
 * @throws the reason of `signal` when it aborts, and what `ask` throws.
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
    // A timer that is aborted says so in its own words; the caller's reason comes from the check above.
    await sleep(everySeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
}
