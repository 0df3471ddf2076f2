import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { messageOf } from "../../names/message-of";

/**
 * Runs a program with a watcher that kills it and its children when standard input closes, so when
 * this process ends in any way. The shell leads a process group, killed with the watcher. The
 * folder is removed before, after a short delay for programs that write to it.
 */
const SCRIPT = `folder=$1; shift; exec 3<&0
{ cat <&3 >/dev/null; [ -z "$folder" ] || { kill -9 $$ 2>/dev/null; sleep 1; rm -rf "$folder"; }; kill -9 0; } &
exec "$@" 3<&- </dev/null`;

export interface ProgramOptions {
  /** Working directory. @default this process's */
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Removed after the program. */
  readonly folder?: string;
}

/** Server program that ends with its parent process, with output in a file. */
export class Program {
  readonly name: string;
  private readonly launch: () => ChildProcess;
  private child: ChildProcess;
  private ended: string | undefined;

  constructor(
    command: string,
    args: readonly string[],
    readonly log: string,
    options: ProgramOptions = {},
  ) {
    this.launch = () => {
      const output = openSync(log, "a");
      return spawn("/bin/sh", ["-c", SCRIPT, basename(command), options.folder ?? "", command, ...args], {
        cwd: options.cwd,
        env: { ...process.env, ...options.env },
        stdio: ["pipe", output, output],
        detached: true,
      });
    };
    this.name = basename(command);
    this.child = this.begin();
  }

  /** Restarts an ended program with the same arguments and log. */
  restart(): void {
    this.child = this.begin();
  }

  private begin(): ChildProcess {
    this.ended = undefined;
    const child = this.launch();
    child.once("error", (error) => {
      this.ended = error.message;
    });
    child.once("exit", (code, signal) => {
      this.ended = `ended with ${code ?? signal}`;
      child.stdin?.destroy();
    });
    return child;
  }

  /**
   * Waits until `ask` returns a value.
   *
   * @param ask undefined or an error: not yet.
   * @throws Error with the last log lines, when the program ends or after `seconds`.
   */
  async ready<T>(ask: () => Promise<T | undefined>, seconds = 60): Promise<T> {
    const until = Date.now() + seconds * 1000;
    let last = "no answer";
    while (Date.now() < until) {
      if (this.ended !== undefined) {
        throw new Error(`${this.name} ${this.ended}:\n${this.tail()}`);
      }
      try {
        const answer = await ask();
        if (answer !== undefined) {
          return answer;
        }
      } catch (error) {
        last = messageOf(error);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`${this.name} was not ready within ${seconds} s (${last}):\n${this.tail()}`);
  }

  /** Kills it and its children. */
  async stop(): Promise<void> {
    await this.endBy((child) => child.stdin?.end());
  }

  /** Terminates it and waits for its end. */
  async terminate(): Promise<void> {
    await this.endBy((child) => child.kill("SIGTERM"));
  }

  /** Suspends it, as a stalled machine, until `resume`. */
  suspend(): void {
    this.child.kill("SIGSTOP");
  }

  resume(): void {
    this.child.kill("SIGCONT");
  }

  private async endBy(means: (child: ChildProcess) => void): Promise<void> {
    if (this.ended !== undefined) {
      return;
    }
    const exit = new Promise((resolve) => this.child.once("exit", resolve));
    means(this.child);
    await exit;
  }

  /** Waits until it ends by itself. */
  async exited(): Promise<void> {
    await this.endBy(() => undefined);
  }

  /** How it ended; undefined while it runs. */
  get ending(): string | undefined {
    return this.ended;
  }

  /** Output so far. */
  output(): string {
    return existsSync(this.log) ? readFileSync(this.log, "utf8") : "";
  }

  private tail(): string {
    return this.output().trimEnd().split("\n").slice(-20).join("\n");
  }
}
