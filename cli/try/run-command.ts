import { spawn } from "node:child_process";

export interface CommandPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Ended {
  /** Undefined if not on the PATH; 128 and more for a signal. */
  readonly status: number | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a program without a terminal and captures its output. */
export function captured(command: string, args: readonly string[], { cwd, env }: CommandPlace): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const ended = (status: number | undefined) =>
      resolve({ status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() });
    child.once("error", (error: NodeJS.ErrnoException) => (isMissing(error) ? ended(undefined) : reject(error)));
    child.once("close", (status) => ended(status ?? 128));
  });
}

/**
 * Runs a program visibly: on the terminal, or line by line into `say`. The program handles Ctrl-C:
 * Pulumi finishes what it began.
 *
 * @param say undefined: it gets the terminal.
 * @returns its exit status.
 */
export function watched(
  command: string,
  args: readonly string[],
  { cwd, env }: CommandPlace,
  say: ((text: string) => void) | undefined,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const wait = () => {};
    process.on("SIGINT", wait);
    const child = spawn(command, [...args], {
      cwd,
      env,
      stdio: say === undefined ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => say?.(text));
    }
    const ended = () => process.off("SIGINT", wait);
    child.once("error", (error) => {
      ended();
      reject(error);
    });
    child.once("close", (status) => {
      ended();
      resolve(status ?? 128);
    });
  });
}

function isMissing({ code }: NodeJS.ErrnoException): boolean {
  return code === "ENOENT" || code === "EACCES";
}
