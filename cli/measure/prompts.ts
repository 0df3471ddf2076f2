/** Own prompts of plain words, all different, so that no prefix cache answers. */
import { randomFrom } from "../../planner/speed/random";

/** Short English words: one or two tokens for most tokenizers. */
const WORDS =
  "time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city name team minute idea body back parent face level office door health person art war history party result change morning reason research girl guy moment air teacher force education".split(
    " ",
  );

/** Tokens of a prompt: `fixed` for the template, and per word. */
export interface TokenCount {
  readonly fixed: number;
  readonly perWord: number;
}

/** Initial guess for English. */
export const USUAL_COUNT: TokenCount = { fixed: 0, perWord: 1.1 };

/** From two counted prompts, or one where they do not differ. */
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

/** At least one. */
export function wordsFor(tokens: number, { fixed, perWord }: TokenCount): number {
  return Math.max(1, Math.round((tokens - fixed) / perWord));
}

/** @param sharedWords leading words common to all prompts. */
export function prompt(words: number, sharedWords: number, random: () => number): string {
  const shared = wordsOf(Math.min(sharedWords, words), randomFrom(1).next);
  return [...shared, ...wordsOf(words - shared.length, random)].join(" ");
}

function wordsOf(count: number, random: () => number): string[] {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)] ?? "");
}
