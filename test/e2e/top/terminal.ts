/** A real terminal, by tmux: typed into, resized, read back, and recorded. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { requirePart } from "../../../rehearsal/parts/find";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export class Terminal {
  private readonly folder = mkdtempSync(join(tmpdir(), "terminal-"));
  private readonly program = requirePart("tmux");
  private readonly started = Date.now();
  private read = 0;
  private readonly events: (readonly [number, "o" | "r", string])[] = [];
  private readonly watch: NodeJS.Timeout;

  /** @param command of sh, which runs after it as a shell would: what the program leaves is seen. */
  constructor(size: Size, command: string, cwd: string) {
    const log = join(this.folder, "output");
    writeFileSync(log, "");
    // Options of the user's own tmux would change what is read back.
    const begin = ["-f", "/dev/null", "new-session", "-d", "-s", "top", "-x", `${size.columns}`, "-y", `${size.rows}`];
    this.tmux(...begin, "-c", cwd, `sleep 0.3; ${command}; echo "exit status $?"; exec sleep 600`);
    this.tmux("pipe-pane", "-t", "top", "-o", `cat >> '${log}'`);
    this.watch = setInterval(() => this.record(log), 50);
  }

  /** What stands on it now, without colours. */
  text(): string {
    return this.tmux("capture-pane", "-p", "-t", "top");
  }

  /** Whether the cursor is shown, and the main screen: as a program should leave it. */
  state(): string {
    return this.tmux(
      "display-message",
      "-p",
      "-t",
      "top",
      "cursor #{cursor_flag} alternate #{alternate_on} wrap #{wrap_flag}",
    ).trim();
  }

  title(): string {
    return this.tmux("display-message", "-p", "-t", "top", "#{pane_title}").trim();
  }

  /** @param keys as tmux names them: `q`, `C-c`, `Enter`. */
  press(...keys: string[]): void {
    this.tmux("send-keys", "-t", "top", ...keys);
  }

  resize(size: Size): void {
    this.tmux("resize-window", "-t", "top", "-x", `${size.columns}`, "-y", `${size.rows}`);
    this.events.push([this.seconds(), "r", `${size.columns}x${size.rows}`]);
  }

  /** All that was written, as asciicast 2 (docs.asciinema.org/manual/asciicast/v2). */
  recording(first: Size, title: string): string {
    const head = { version: 2, width: first.columns, height: first.rows, title };
    return `${[head, ...this.events].map((line) => JSON.stringify(line)).join("\n")}\n`;
  }

  close(): void {
    clearInterval(this.watch);
    try {
      this.tmux("kill-server");
    } finally {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private seconds(): number {
    return (Date.now() - this.started) / 1000;
  }

  private record(log: string): void {
    const { size } = statSync(log);
    if (size > this.read) {
      this.events.push([this.seconds(), "o", readFileSync(log).subarray(this.read, size).toString("utf8")]);
      this.read = size;
    }
  }

  private tmux(...argv: string[]): string {
    const env = { ...process.env, LANG: "C.UTF-8", LC_ALL: "C.UTF-8", TMUX: "", NO_COLOR: "" };
    return execFileSync(this.program, ["-u", "-S", join(this.folder, "socket"), ...argv], { encoding: "utf8", env });
  }
}
