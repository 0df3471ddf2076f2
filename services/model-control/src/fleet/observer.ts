import { withTimeLimit } from "../backends/time-limit";
import type { Fleet } from "./fleet";

/** Often enough to notice a use before its mark changes again, and to tell models apart that are used by turns. */
const OBSERVE_SECONDS = 15;
const LONGEST_SECONDS = 30;

/**
 * Looks at all workers again and again, so that what was used last is known though nobody asks the API.
 *
 * @returns ends it; the observation that runs is broken off.
 */
export function startObserver(
  fleet: Pick<Fleet, "observe">,
  onError: (error: unknown) => void,
  everySeconds = OBSERVE_SECONDS,
): () => Promise<void> {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = observe();

  async function observe(): Promise<void> {
    try {
      await withTimeLimit(end.signal, LONGEST_SECONDS, (signal) => fleet.observe(signal));
    } catch (error) {
      if (!end.signal.aborted) {
        onError(error);
      }
    }
    if (end.signal.aborted) {
      return;
    }
    timer = setTimeout(() => {
      running = observe();
    }, everySeconds * 1000);
  }

  return async () => {
    end.abort(new Error("the observer ends"));
    clearTimeout(timer);
    await running;
  };
}
