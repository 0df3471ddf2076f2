/**
 * Polls until there is a value.
 *
 * @param ask undefined: not yet. An error ends the wait.
 * @throws Error with the awaited condition, after `seconds`.
 */
export async function waitFor<T>(what: string, ask: () => Promise<T | undefined>, seconds = 60): Promise<T> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) {
      return answer;
    }
    if (Date.now() >= until) {
      throw new Error(`waited ${seconds} s for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
