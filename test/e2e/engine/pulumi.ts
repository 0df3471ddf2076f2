import { type ChildProcess, spawn } from "node:child_process";

export interface Run {
  readonly status: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
  readonly seconds: number;
}

export interface PulumiOptions {
  readonly cwd: string;
  /** Added to this process's environment; its PATH must have the Pulumi command line. */
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the Pulumi command line to its end. */
export function pulumi(args: readonly string[], options: PulumiOptions): Promise<Run> {
  return new PulumiCommand(args, options).finished;
}

/** The Pulumi command line while it runs. */
export class PulumiCommand {
  /** Settles when the command has ended, however it ended. */
  readonly finished: Promise<Run>;
  private readonly child: ChildProcess;
  private output = "";

  constructor(
    private readonly args: readonly string[],
    options: PulumiOptions,
  ) {
    const since = Date.now();
    const child = spawn("pulumi", ["--non-interactive", "--color=never", ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    const collect = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    this.finished = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (status) => {
        resolve({ status, output: this.output, seconds: (Date.now() - since) / 1000 });
      });
    });
  }

  /**
   * Waits until the output so far satisfies `test`.
   *
   * @throws Error with the output when the command ends before.
   */
  async until(test: (output: string) => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (test(this.output)) {
          resolve();
        }
      };
      this.child.stdout?.on("data", check);
      this.child.stderr?.on("data", check);
      this.finished.then(({ output }) => {
        check();
        reject(new Error(`pulumi ${this.args.join(" ")} ended before what was waited for:\n${output}`));
      }, reject);
      check();
    });
  }

  /** Ends the engine where it is, as a crash or the kernel's memory killer does. */
  async kill(): Promise<Run> {
    this.child.kill("SIGKILL");
    return this.finished;
  }
}
