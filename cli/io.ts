import { createInterface } from "node:readline/promises";

/** Where a command writes. Tests hand in buffers. */
export interface CommandIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether `out` is a terminal that shows colours. */
  readonly color: boolean;
  /** Whether `err` is a terminal on which a progress line may be drawn over. */
  readonly progress: boolean;
  /** Asks a question and waits for a line. Undefined: there is no terminal to ask on. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Exit status of every command. */
export const EXIT = { ok: 0, refused: 1, badInput: 2 } as const;

/** The process's own streams; colours off when piped or when NO_COLOR is set (no-color.org). */
export function processIo(): CommandIo {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    color: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
    progress: Boolean(process.stderr.isTTY),
    ...(process.stdin.isTTY && process.stderr.isTTY && { ask: askOnTerminal }),
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

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error is the file system's refusal: a mistake in a path, or a right that is missing. */
export function isFileSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}
