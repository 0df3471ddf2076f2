import { type ChildProcess, spawn } from "node:child_process";

export interface Run {
  readonly status: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
  readonly seconds: number;
}

export interface CommandOptions {
  readonly cwd: string;
  /** Added to this process's environment; its PATH must have the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input. @default none */
  readonly input?: string;
}

/** Runs the Pulumi command line to its end. */
export function pulumi(args: readonly string[], options: CommandOptions): Promise<Run> {
  return new PulumiCommand(args, options).finished;
}

/** A program that an operator started, while it runs. */
export class Command {
  /** Settles when the command has ended, however it ended. */
  readonly finished: Promise<Run>;
  private readonly child: ChildProcess;
  private output = "";

  constructor(
    program: string,
    args: readonly string[],
    { cwd, env, input }: CommandOptions,
    private readonly line = [program, ...args].join(" "),
  ) {
    const since = Date.now();
    const child = spawn(program, [...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    this.child = child;
    // One that reads none of it may have ended.
    child.stdin?.on("error", () => undefined).end(input);
    const collect = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
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
        reject(new Error(`${this.line} ended before what was waited for:\n${output}`));
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

/** The Pulumi command line while it runs. */
export class PulumiCommand extends Command {
  constructor(args: readonly string[], options: CommandOptions) {
    super("pulumi", ["--non-interactive", "--color=never", ...args], options, ["pulumi", ...args].join(" "));
  }
}
