import { modelNamespaceName, PLATFORM_NAMESPACES } from "../../names/namespaces";

const PREFIX = modelNamespaceName("");

/**
 * RE2 pattern that stays the same when models change. RE2 has no lookahead: the platform's own
 * namespaces are excluded letter by letter.
 */
export const MODEL_NAMESPACES: string = `${PREFIX}${noneOf(
  PLATFORM_NAMESPACES.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length)),
)}`;

/** Matches all texts but these words. */
export function noneOf(words: readonly string[]): string {
  // A hyphen elsewhere in brackets makes a range.
  const letters = [...new Set(words.map((word) => word.slice(0, 1)))]
    .filter((letter) => letter !== "")
    .sort()
    .reverse();
  if (letters.length === 0) {
    return words.length === 0 ? ".*" : ".+";
  }
  const longer = letters.map(
    (letter) => `${letter}${noneOf(words.filter((word) => word.startsWith(letter)).map((word) => word.slice(1)))}`,
  );
  const end = words.includes("") ? [] : [""];
  return `(?:${[...end, `[^${letters.join("")}].*`, ...longer].join("|")})`;
}
