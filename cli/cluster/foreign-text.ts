import { visible } from "../../names/visible";

/** Characters of a finding. */
const LONGEST = 600;

/** Untrusted text for a terminal: visible, of bounded length. */
export function cleaned(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return visible(cut);
}

/** `a, b, c and 12 more`. */
export function someOf(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
