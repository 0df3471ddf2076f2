/**
 * Asks again and again until the answer is yes; a question that fails is asked again.
 *
 * @param times in milliseconds: until the first question, and between an answer and the next one.
 * @returns what ends it.
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
