import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Program } from "../../../../rehearsal/cluster/lifeline";
import { waitFor } from "../../../../rehearsal/cluster/wait";

/** How long a server may take to answer. */
const START_SECONDS = 30;

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
  private program: Program | undefined;

  private constructor(
    private readonly server: ServerCommand,
    /** Removed with the server. */
    readonly folder: string,
  ) {}

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
    if (this.program === undefined) {
      this.program = new Program(command, args, this.log, { cwd, env });
    } else {
      this.program.restart();
    }
    await this.program.ready(async () => ((await ready()) ? true : undefined), START_SECONDS);
  }

  /** Kills it and all that it started, as a node that loses power would. */
  async kill(): Promise<void> {
    await this.program?.stop();
  }

  /** Asks it to end, and waits until it has; then `start` may start it again. */
  async terminate(): Promise<void> {
    await this.program?.terminate();
  }

  /** Holds it where it is, until `resume`: it does nothing, and its connections stay. */
  suspend(): void {
    this.program?.suspend();
  }

  resume(): void {
    this.program?.resume();
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Waits until it prints something that matches. @throws Error after some seconds. */
  async waitForOutput(pattern: RegExp, seconds: number): Promise<void> {
    await waitFor(
      `${basename(this.server.command)} to print ${pattern}`,
      async () => (pattern.test(this.output()) ? true : undefined),
      seconds,
    );
  }

  /** What it printed until now. */
  output(): string {
    return this.program?.output() ?? "";
  }

  private get log(): string {
    return join(this.folder, `${basename(this.server.command)}.log`);
  }
}
