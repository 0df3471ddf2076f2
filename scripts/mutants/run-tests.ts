import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Copy } from "./copy";
import type { TestMessage, TestRequest } from "./test-messages";

/** How a run of tests is bounded. */
export interface Bounds {
  /** Test processes at once. */
  readonly workers: number;
  /** Ends with the first failure. Default: runs all files. */
  readonly stopsAtFailure?: boolean;
  /** After these seconds no other file begins. Default: none. */
  readonly seconds?: number;
}

/** What became of the files of a run. */
export interface TestResult {
  /** In the order of their first failure, with those that hung or ended the process. */
  readonly failed: readonly string[];
  readonly passed: readonly string[];
  /** Whether the last failure may have another reason than the product. */
  readonly doubtful: boolean;
}

/** After which a file counts as hanging, in seconds without a message: more than the longest time limit of a test. */
const HANGS = 400;

const running = new Set<ChildProcess>();

/** Ends all runs that are under way. */
export function endTests(): void {
  for (const child of running) {
    endGroup(child);
  }
}

/** Runs tests in a copy as it is now. */
export function runTests(copy: Copy, files: readonly string[], bounds: Bounds): Promise<TestResult> {
  if (files.length === 0) {
    return Promise.resolve({ failed: [], passed: [], doubtful: false });
  }
  const child = fork(join(__dirname, "test-child.ts"), [], {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, ...copy.environment },
    // A group, so that what tests and mutants start ends with it.
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  running.add(child);
  return new Promise((resolve) => {
    const started = Date.now();
    const open = new Set<string>();
    const failed = new Set<string>();
    const passed = new Set<string>();
    let doubtful = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (isBroken: boolean) => {
      clearTimeout(timer);
      child.removeAllListeners();
      running.delete(child);
      endGroup(child);
      for (const file of isBroken ? (open.size > 0 ? open : files.slice(0, 1)) : []) {
        failed.add(file);
      }
      resolve({ failed: [...failed], passed: [...passed], doubtful });
    };
    const waitForMessage = () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(true), HANGS * 1000);
    };
    child.on("message", (message: TestMessage) => {
      waitForMessage();
      switch (message.kind) {
        case "begins":
          open.add(message.file);
          return;
        case "fails":
          failed.add(message.file);
          passed.delete(message.file);
          doubtful = message.doubtful;
          open.delete(message.file);
          return bounds.stopsAtFailure ? end(false) : undefined;
        case "ends":
          passed.add(message.file);
          open.delete(message.file);
          return Date.now() - started > (bounds.seconds ?? Number.POSITIVE_INFINITY) * 1000 ? end(false) : undefined;
        case "done":
          return end(message.hasErrors && failed.size === 0);
      }
    });
    child.once("exit", () => end(true));
    waitForMessage();
    child.send({ root: copy.root, files, workers: bounds.workers } satisfies TestRequest);
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) {
      process.kill(-pid, "SIGKILL");
    }
  } catch {
    // It ended by itself.
  }
}
