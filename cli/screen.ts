/** Full-screen terminal. */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** As readline parses it: `name` is undefined for most characters, `text` is the input. */
export interface Key {
  readonly name?: string;
  readonly text?: string;
  readonly ctrl?: boolean;
}

export interface ScreenEvents {
  onKey(key: Key): void;
  onResize(): void;
}

export interface Screen {
  size(): Size;
  /** One line per row; the terminal cuts longer ones. */
  draw(text: string): void;
  /** Restores the terminal. */
  close(): void;
}

export type OpenScreen = (events: ScreenEvents) => Screen;

/** xterm's private modes, supported by all emulators: alternate screen, cursor, automatic wrap. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";

/** Signals that end the command like its key, so that the terminal is restored. */
const ENDING = ["SIGTERM", "SIGHUP"] as const;

export function terminalScreen(input: ReadStream, output: WriteStream, { onKey, onResize }: ScreenEvents): Screen {
  const pressed = (text: string | undefined, key: { readonly name?: string; readonly ctrl?: boolean }) =>
    onKey({ name: key.name, ctrl: key.ctrl, ...(text !== undefined && { text }) });
  const ended = () => onKey({ name: "c", ctrl: true });
  emitKeypressEvents(input);
  input.setRawMode(true);
  input.resume();
  input.on("keypress", pressed);
  input.once("end", ended);
  output.on("resize", onResize);
  for (const signal of ENDING) {
    process.once(signal, ended);
  }
  output.write(ENTER);
  return {
    // Size 0 means unreported.
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    draw: (text) => {
      // Cleared first: after a full line the cursor is on its last character.
      const lines = text.split("\n").map((line) => `${CLEAR_LINE}${line}`);
      output.write(`${HOME}${lines.join("\r\n")}`);
    },
    close: () => {
      output.write(LEAVE);
      input.off("keypress", pressed);
      input.off("end", ended);
      input.setRawMode(false);
      input.pause();
      output.off("resize", onResize);
      for (const signal of ENDING) {
        process.off(signal, ended);
      }
    },
  };
}
