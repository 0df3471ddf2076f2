import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { repositoryRoot } from "../../names/repository-root";

/** What one run of a Node process took. */
export interface Usage {
  /** From before the process starts until its streams are closed. */
  readonly wallSeconds: number;
  /** User and system time of all its threads; processes that it starts are not in it. */
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

export interface ChildRun extends Usage {
  readonly stdout: string;
}

export const RUNNERS_FOLDER = join(__dirname, "plan", "runners");

/**
 * Runs `node <args>` in the repository root.
 *
 * @throws Error with the end of the process's messages when it fails.
 */
export async function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ChildRun> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--require", join(RUNNERS_FOLDER, "report-usage.cjs"), ...args], {
    cwd: repositoryRoot(),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((done, failed) => {
    child.once("error", failed);
    child.once("close", done);
  });
  const [stdout, stderr, usage] = await Promise.all(
    [child.stdout, child.stderr, child.stdio[3]].map((stream) => text(stream as NodeJS.ReadableStream)),
  );
  const exitCode = await closed;
  const wallSeconds = (performance.now() - started) / 1000;
  if (exitCode !== 0) {
    throw new Error(
      `node ${args.join(" ")} ended with ${exitCode ?? child.signalCode}:\n${(stderr || stdout || "").slice(-2000)}`,
    );
  }
  return { wallSeconds, ...(JSON.parse(usage ?? "") as Omit<Usage, "wallSeconds">), stdout: stdout ?? "" };
}
