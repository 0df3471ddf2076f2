import { accessSync, constants } from "node:fs";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { messageOf } from "../names/message-of";
import { visible, visibleLines } from "../names/visible";
import { withOwnColours } from "../report/style";
import { type OpenScreen, terminalScreen } from "./screen";

/** Where a command writes. Tests hand in buffers. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether `out` is a terminal that shows colours. */
  readonly color: boolean;
  /** Draws the last line of `err` over, with nothing where the text is empty. Undefined: `err` is no terminal. */
  readonly draw?: (line: string) => void;
  /** Asks a question and waits for a line. Undefined: there is no terminal to ask on. */
  readonly ask?: (question: string) => Promise<string>;
  /** Takes the whole terminal. Undefined: `out` is none, or there are no keys. */
  readonly screen?: OpenScreen;
}

/** Exit status of every command. */
export const EXIT = { ok: 0, refused: 1, badInput: 2 } as const;

/** The process's own streams; colours off when piped or when NO_COLOR is set (no-color.org). */
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
 * The one door of all commands: whatever servers and files say, nothing but text, and the colours that the program itself gives,
 * reaches a terminal.
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

/** @returns what was typed; nothing where the input ends first, or at Ctrl-C. */
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

/** What an error says, in one line: parsers repeat what they were given, which may be a stranger's. */
export function lineOf(error: unknown): string {
  const message = messageOf(error);
  // Node's own sentences about arguments have lines of their own.
  return visible(message.replaceAll(".\n", ". "));
}

/** Whether an error is the file system's refusal: a mistake in a path, or a right that is missing. */
export function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

/** Why a file cannot be written, asked before long work is done for it. Undefined: its folder can be written to. */
export function whyUnwritable(what: string, file: string): string | undefined {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK);
    return undefined;
  } catch (error) {
    return `cannot write ${what}: ${lineOf(error)}`;
  }
}
