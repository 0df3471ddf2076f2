import { visible } from "../../names/visible";

/** Longest text of one finding, in characters. */
const LONGEST = 600;

/** A text of strangers as it may stand in a terminal: visible, and of bounded length. */
export function cleaned(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return visible(cut);
}

/** The first of many names: `a, b, c and 12 more`. */
export function someOf(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
