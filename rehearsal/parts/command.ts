import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface RunOptions {
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Fixes for missing commands. */
const REMEDIES: Readonly<Record<string, string>> = {
  go: "install Go, https://go.dev/doc/install",
  python3: "install Python 3 with its module venv",
  "apt-get": "use Debian or Ubuntu: this part is one of their packages",
};

/** Running commands of all installations. */
const running = new Set<ChildProcess>();

/** Terminates running commands: `go build` would outlive this process. */
export function endCommands(): void {
  for (const child of running) {
    child.kill("SIGTERM");
  }
}

/** Commands of an installation, with output in one log file. */
export class LoggedCommands {
  constructor(readonly log: string) {
    mkdirSync(dirname(log), { recursive: true });
    writeFileSync(log, "");
  }

  /** Logs a step without a command. */
  note(text: string): void {
    appendFileSync(this.log, `${text}\n`);
  }

  /** @throws Error with the fix when the command is not on PATH; otherwise with its exit status. */
  async run(command: string, args: readonly string[], { cwd, env }: RunOptions = {}): Promise<void> {
    appendFileSync(this.log, `$ ${[command, ...args].map(quoted).join(" ")}\n`);
    const output = openSync(this.log, "a");
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", output, output] });
    running.add(child);
    const status = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      child.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "ENOENT" ? new Error(notOnPath(command)) : error),
      );
      child.once("close", (code, signal) => resolve(code ?? signal));
    }).finally(() => running.delete(child));
    if (status !== 0) {
      throw new Error(`${command} ${args[0] ?? ""} ended with ${status}`);
    }
  }
}

function notOnPath(command: string): string {
  const fix = REMEDIES[command];
  return `${command} is not on PATH${fix === undefined ? "" : `: ${fix}`}`;
}

function quoted(argument: string): string {
  return /\s/.test(argument) ? `'${argument}'` : argument;
}

/** Last lines of a LoggedCommands log, oldest first. */
export function lastLines(log: string, count: number): string[] {
  const text = readFileSync(log, "utf8").trimEnd();
  return text === "" ? [] : text.split("\n").slice(-count);
}
