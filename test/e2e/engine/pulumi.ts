import { spawn } from "node:child_process";

export interface Run {
  readonly status: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
  readonly seconds: number;
}

/** Runs the Pulumi command line, which must be on the PATH of `env`. */
export async function pulumi(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Run> {
  const since = Date.now();
  const child = spawn("pulumi", ["--non-interactive", "--color=never", ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { status, output, seconds: (Date.now() - since) / 1000 };
}
