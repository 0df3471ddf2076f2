/** What strangers say to commands, and what of it may reach a terminal. */
import { expect } from "vitest";
import { type CommandIo, guarded } from "../../cli/io";
import { runCommand } from "../../cli/main";
import { isVisible } from "../../names/visible";

/** Moves the cursor, titles the window, hides and turns text, ends the program's colour and begins a line in one of its colours. */
export const EVIL =
  "m\u001b[2J\u001b]0;PWNED\u0007\u009b31m\u001b[31mFAKE\u001b[8m\r\u202e\u061c\u3164\u{e0041}\u001b[39m\n\u001b[32mFORGED";

/** Of it in a colour, or at the start of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const FORGED = /\u001b\[3\dm(?:FAKE|FORGED)|^\s*(?:\\u001b\[32m)?FORGED/m;

interface Shown {
  readonly text: string;
  readonly status: number;
}

/** A command as on a terminal with colours. */
export function terminalOf(...argv: string[]): Promise<Shown> {
  return shownBy((terminal) => runCommand(argv, terminal));
}

/** A command's own function, behind the door that all commands have. */
export function guardedTerminalOf(main: (io: CommandIo) => Promise<number>): Promise<Shown> {
  return shownBy((terminal) => main(guarded(terminal)));
}

async function shownBy(run: (terminal: CommandIo) => Promise<number>): Promise<Shown> {
  const parts: string[] = [];
  const write = (text: string) => void parts.push(text);
  const status = await run({ out: write, err: write, draw: write, color: true });
  return { text: parts.join(""), status };
}

/** Without line feeds, and without the colours that the program itself gives. */
function bare(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  return text.replace(/\u001b\[(?:1|2|22|3[1239])m|\n/g, "");
}

export function expectHarmless(text: string): void {
  expect(text).not.toBe("");
  expect(isVisible(bare(text)), JSON.stringify(text)).toBe(true);
  expect(text).not.toMatch(FORGED);
}
