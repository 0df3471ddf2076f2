/** The whole terminal, for a command that draws over it. */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** As readline reads it: `name` is undefined for most signs, `text` is what was typed. */
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
  /** Draws these lines, as many as there are rows. Longer ones are cut by the terminal. */
  draw(text: string): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

export type OpenScreen = (events: ScreenEvents) => Screen;

/** Private modes of xterm, which every terminal emulator has: alternate screen, cursor, automatic wrap. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";

/** Signals that end the command as its own key does, so that the terminal is given back. */
const ENDING = ["SIGTERM", "SIGHUP"] as const;

/** Opens the terminal of these streams. */
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
    // A terminal of no size is one that does not report it.
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    draw: (text) => {
      // Cleared first: after a line of full width the cursor is on its last sign.
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
