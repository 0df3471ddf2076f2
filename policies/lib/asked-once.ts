/** So many answers are kept; then all are forgotten, because nobody knows which texts come again. */
const MOST_KEPT = 10_000;

/**
 * A question about a text, and nothing else, that is answered once: the same texts stand in many objects of a stack, and each policy asks
 * about the same types.
 */
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
