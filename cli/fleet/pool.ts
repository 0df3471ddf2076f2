/** Parallel processes on one list of jobs. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { type Job, type Outcome, WORKER_FLAG } from "./work";

export interface PoolOptions {
  /** Parallel processes. */
  readonly workers: number;
  /** After it a job's process is killed and the job fails. */
  readonly secondsPerJob: number;
  /** Called as each job ends. */
  readonly onOutcome: (job: Job, outcome: Outcome) => void;
  /** @default one of this program */
  readonly start?: () => ChildProcess;
}

/** Runs all jobs and reports each. */
export type DoJobs = (jobs: readonly Job[], options: PoolOptions) => Promise<void>;

/** Characters kept of a process's last output. */
const LAST_WORDS = 500;

/** In list order, as processes are free. A crashed or hung one costs its job and is replaced. */
export async function doAll(jobs: readonly Job[], options: PoolOptions): Promise<void> {
  const waiting = [...jobs];
  const workers = Array.from({ length: Math.min(options.workers, jobs.length) }, () => workThrough(waiting, options));
  await Promise.all(workers);
}

async function workThrough(waiting: Job[], { secondsPerJob, onOutcome, start = startWorker }: PoolOptions) {
  let worker: Worker | undefined;
  try {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      worker ??= new Worker(start());
      const outcome = await worker.do(job, secondsPerJob);
      if (!worker.isAlive) {
        worker = undefined;
      }
      onOutcome(job, outcome);
    }
  } finally {
    worker?.end();
  }
}

class Worker {
  isAlive = true;
  private lastWords = "";

  constructor(private readonly process: ChildProcess) {
    // A killed process may fail to receive a message at the end.
    process.on("error", () => {});
    process.stderr?.on("data", (chunk) => {
      this.lastWords = `${this.lastWords}${String(chunk)}`.slice(-LAST_WORDS);
    });
  }

  do(job: Job, seconds: number): Promise<Outcome> {
    return new Promise((done) => {
      const failed = (message: string) => {
        this.isAlive = false;
        settle({ kind: "failed", message });
      };
      const timer = setTimeout(() => {
        this.process.kill("SIGKILL");
        failed(`there was no answer within ${seconds} s`);
      }, seconds * 1000);
      const answered = (outcome: Outcome) => settle(outcome);
      const ended = (code: number | null, signal: string | null) => {
        const how = signal === null ? `with status ${code}` : `by ${signal}`;
        const said = this.lastWords.trim();
        failed(`its process ended ${how}${said === "" ? "" : `:\n${said}`}`);
      };
      const unstarted = (error: Error) => failed(`its process could not be started: ${error.message}`);
      const settle = (outcome: Outcome) => {
        clearTimeout(timer);
        this.process.off("message", answered).off("exit", ended).off("error", unstarted);
        done(outcome);
      };
      this.process.on("message", answered).on("exit", ended).on("error", unstarted);
      this.process.send(job);
    });
  }

  end(): void {
    if (this.process.connected) {
      this.process.disconnect();
    }
  }
}

/**
 * Garbage dies young: with a large young generation, and without collector threads on other
 * workers' cores, a plan costs a fifth less. One program leaves some 100 MiB.
 */
const COLLECTOR = ["--max-semi-space-size=128", "--min-semi-space-size=128", "--single-threaded-gc"];

/** Starts the bundle that users run. */
function startWorker(): ChildProcess {
  return fork(join(repositoryRoot(), "cli", "run.mjs"), ["fleet", WORKER_FLAG], {
    execArgv: COLLECTOR,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
