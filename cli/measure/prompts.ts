/** Prompts of our own: plain words, no two alike, so that no cache of prefixes answers for the engine. */
import { randomFrom } from "../../planner/speed/random";

/** Short words of English: one or two tokens each for most tokenizers. */
const WORDS =
  "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city name team minute idea body back parent face level office door health person art war history party result change morning reason research girl guy moment air teacher force education".split(
    " ",
  );

/** How many tokens a server makes of a prompt: `fixed` for what it puts around it, then so many for each word. */
export interface TokenCount {
  readonly fixed: number;
  readonly perWord: number;
}

/** Before anything is known: about what English takes. */
export const USUAL_COUNT: TokenCount = { fixed: 0, perWord: 1.1 };

/** From two prompts that the server counted; from one where they do not differ. */
export function tokenCount(
  a: { readonly words: number; readonly tokens: number },
  b: { readonly words: number; readonly tokens: number },
): TokenCount {
  const perWord = (b.tokens - a.tokens) / (b.words - a.words);
  if (!(perWord > 0)) {
    return { fixed: 0, perWord: b.tokens / b.words };
  }
  return { fixed: Math.max(0, a.tokens - perWord * a.words), perWord };
}

/** Words of a prompt that has so many tokens, at least one. */
export function wordsFor(tokens: number, { fixed, perWord }: TokenCount): number {
  return Math.max(1, Math.round((tokens - fixed) / perWord));
}

/**
 * A text of so many words.
 *
 * @param sharedWords the first of them, which are the same in every prompt.
 */
export function prompt(words: number, sharedWords: number, random: () => number): string {
  const shared = wordsOf(Math.min(sharedWords, words), randomFrom(1).next);
  return [...shared, ...wordsOf(words - shared.length, random)].join(" ");
}

function wordsOf(count: number, random: () => number): string[] {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "");
}
