/**
 * Polls until the result is true; retries after errors.
 *
 * @param times in milliseconds: delay before the first call, and between calls.
 * @returns function that stops it.
 */
export function watchFor(
  question: () => Promise<boolean>,
  yes: () => void,
  { first, every }: { readonly first: number; readonly every: number },
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const ask = async () => {
    const answer = await question().catch(() => false);
    if (stopped) {
      return;
    }
    if (answer) {
      yes();
    } else {
      timer = setTimeout(ask, every);
    }
  };
  timer = setTimeout(ask, first);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
