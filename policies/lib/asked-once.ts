/** The cache is emptied at this size: which texts recur is unknown. */
const MOST_KEPT = 10_000;

/** Caches answers by text: a stack's objects and policies repeat them. */
export function askedOnce<Answer>(ask: (text: string) => Answer): (text: string) => Answer {
  const answers = new Map<string, Answer>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined || answers.has(text)) {
      return known as Answer;
    }
    const answer = ask(text);
    if (answers.size >= MOST_KEPT) {
      answers.clear();
    }
    answers.set(text, answer);
    return answer;
  };
}
