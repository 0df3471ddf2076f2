import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { messageOf } from "../names/message-of";
import { visible, visibleLines } from "../names/visible";
import { withOwnColours } from "../report/style";
import { type OpenScreen, terminalScreen } from "./screen";

/** Output of a command; tests use buffers. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** `out` is a terminal with colours. */
  readonly color: boolean;
  /** Redraws the last line of `err`, or clears it. Undefined without a terminal. */
  readonly draw?: (line: string) => void;
  /** Asks for a line. Undefined without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Uses the full screen. Undefined without a terminal or keys. */
  readonly screen?: OpenScreen;
}

export const EXIT = { ok: 0, refused: 1, badInput: 2 } as const;

/** Process streams; no colours when piped or with NO_COLOR (no-color.org). */
export function processIo(): CommandIo {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    color: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
    ...(process.stderr.isTTY && { draw: (line: string) => void process.stderr.write(`\r\x1b[K${line}`) }),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask: askOnTerminal }),
    ...(process.stdin.isTTY &&
      process.stdout.isTTY && { screen: (events) => terminalScreen(process.stdin, process.stdout, events) }),
  };
}

/**
 * Filters all output: only text and the program's own colours reach a terminal, whatever servers
 * and files contain.
 */
export function guarded({ out, err, draw, ask, color, screen }: CommandIo): CommandIo {
  const shown = (text: string) => withOwnColours(visibleLines(text));
  return {
    out: (text) => out(shown(text)),
    err: (text) => err(visibleLines(text)),
    color,
    ...(draw && { draw: (line: string) => draw(visibleLines(line)) }),
    ...(ask && { ask: (question: string) => ask(visibleLines(question)) }),
    ...(screen && {
      screen: (events) => {
        const opened = screen(events);
        return { ...opened, draw: (text) => opened.draw(shown(text)) };
      },
    }),
  };
}

/** @returns the typed line; empty at end of input or Ctrl-C. */
async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
  const answer = await Promise.race([terminal.question(question), ended]);
  terminal.close();
  if (answer === undefined) {
    process.stderr.write("\n");
  }
  return answer ?? "";
}

/** One line: parsers quote their input, which may be untrusted. */
export function lineOf(error: unknown): string {
  const message = messageOf(error);
  // Node's argument errors have several lines.
  return visible(message.replaceAll(".\n", ". "));
}

/** A wrong path or missing right. */
export function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Checked before long work. Undefined: the folder is writable. */
export function whyUnwritable(what: string, file: string): string | undefined {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
    return undefined;
  } catch (error) {
    return `cannot write ${what}: ${lineOf(error)}`;
  }
}
