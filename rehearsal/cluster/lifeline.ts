import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { messageOf } from "../../names/message-of";

/**
 * Becomes the program, and leaves a watcher behind that kills it, and all that it started, when standard input ends: that
 * happens when this process ends, whatever ended it. The servers keep nothing that is worth a graceful shutdown. The
 * shell leads a process group of its own, which the watcher is killed with; so a folder goes before that, and a moment
 * after the program, when the other programs that write to it have been killed too.
 */
const SCRIPT = `folder=$1; shift; exec 3<&0
{ cat <&3 >/dev/null; [ -z "$folder" ] || { kill -9 $$ 2>/dev/null; sleep 1; rm -rf "$folder"; }; kill -9 0; } &
exec "$@" 3<&- </dev/null`;

export interface ProgramOptions {
  /** Where it works; this process's own folder when absent. */
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Removed after the program. */
  readonly folder?: string;
}

/** A server program that lives no longer than the process that started it. Its output goes to a file. */
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

  /** Starts the program again after it ended: the same arguments, the same log. */
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
   * Waits until `ask` answers with a value.
   *
   * @param ask undefined, or an error, means: not yet.
   * @throws Error with the last lines of the log, when the program ends or `seconds` have passed.
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
    throw new Error(`${this.name} was not ready after ${seconds} s (${last}):\n${this.tail()}`);
  }

  /** Kills it and all that it started. */
  async stop(): Promise<void> {
    await this.endBy((child) => child.stdin?.end());
  }

  /** Asks it to end, and waits until it has. */
  async terminate(): Promise<void> {
    await this.endBy((child) => child.kill("SIGTERM"));
  }

  /** Holds it where it is, as a machine that stalls would, until `resume`. */
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

  /** Waits until it has ended by itself. */
  async exited(): Promise<void> {
    await this.endBy(() => undefined);
  }

  /** How it ended; undefined while it runs. */
  get ending(): string | undefined {
    return this.ended;
  }

  /** What the program printed until now. */
  output(): string {
    return existsSync(this.log) ? readFileSync(this.log, "utf8") : "";
  }

  private tail(): string {
    return this.output().trimEnd().split("\n").slice(-20).join("\n");
  }
}
