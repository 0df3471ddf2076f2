import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../../../rehearsal/cluster/wait";

/**
 * Becomes the server, and leaves a watcher behind that kills it and all that it started when standard input ends: that
 * happens when this process ends, whatever ended it. The shell leads a process group of its own.
 */
const SCRIPT = `exec 3<&0
{ cat <&3 >/dev/null; kill -9 0; } &
exec "$@" 3<&- </dev/null`;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it works; this process's own folder when absent. */
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it answers; false, or an error, means: not yet. */
  readonly ready: () => Promise<boolean>;
}

/** A real server for tests, with a temporary folder, which can be killed and started again as it was. */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private readonly log: string;

  private constructor(
    private readonly server: ServerCommand,
    /** Removed with the server. */
    readonly folder: string,
  ) {
    this.log = join(folder, `${basename(server.command)}.log`);
  }

  /**
   * @param describe the command, given the server's folder.
   * @throws Error with the last lines of the log when the server ends, or does not answer within 30 seconds.
   */
  static async start(describe: (folder: string) => ServerCommand): Promise<ServerProcess> {
    const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
    const server = new ServerProcess(describe(folder), folder);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** Starts it again after `kill`, on the same address and folder. */
  async start(): Promise<void> {
    const { command, args, cwd, env, ready } = this.server;
    const output = openSync(this.log, "a");
    const child = spawn("/bin/sh", ["-c", SCRIPT, basename(command), command, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["pipe", output, output],
      detached: true,
    });
    this.child = child;
    const until = Date.now() + 30_000;
    while (!(await ready().catch(() => false))) {
      if (hasEnded(child)) throw new Error(`${this.name} ended:\n${this.tail()}`);
      if (Date.now() > until) throw new Error(`${this.name} did not answer for 30 s:\n${this.tail()}`);
      await sleep(50);
    }
  }

  /** Kills it and all that it started, as a node that loses power would. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child === undefined) return;
    // Even when the server has ended by itself, its watcher and what it started have not.
    child.stdin?.end();
    await exitOf(child);
  }

  /** Asks it to end, and waits until it has; then `start` may start it again. */
  async terminate(): Promise<void> {
    const { child } = this;
    child?.kill("SIGTERM");
    if (child !== undefined) await exitOf(child);
    await this.kill();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Waits until it prints something that matches. @throws Error after some seconds. */
  async waitForOutput(pattern: RegExp, seconds: number): Promise<void> {
    await waitFor(
      `${this.name} to print ${pattern}`,
      async () => (pattern.test(this.output()) ? true : undefined),
      seconds,
    );
  }

  /** What it printed until now. */
  output(): string {
    return readFileSync(this.log, "utf8");
  }

  private get name(): string {
    return basename(this.server.command);
  }

  private tail(): string {
    return this.output().trimEnd().split("\n").slice(-20).join("\n");
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function exitOf(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await new Promise((resolve) => child.once("exit", resolve));
}
