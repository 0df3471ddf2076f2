/** Processes that work beside each other through one list of jobs. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import { type Job, type Outcome, WORKER_FLAG } from "./work";

export interface PoolOptions {
  /** Processes at once. */
  readonly workers: number;
  /** After which a job's process is ended and the job has failed. */
  readonly secondsPerJob: number;
  /** Told of each job as it ends. */
  readonly onOutcome: (job: Job, outcome: Outcome) => void;
  /** Starts a process. @default one of this program */
  readonly start?: () => ChildProcess;
}

/** Does all jobs and tells of each. */
export type DoJobs = (jobs: readonly Job[], options: PoolOptions) => Promise<void>;

/** What a process last said before it ended by itself, in characters. */
const LAST_WORDS = 500;

/**
 * Does all jobs, in the order of the list as far as processes are free. A process that dies or hangs costs the one job that it
 * had: another takes its place.
 */
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
    // A process that is killed may fail to take a message when nobody asks any more.
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
 * What a program leaves behind dies young: with room for it, and without threads of the collector that would run on the other
 * workers' cores, a plan costs a fifth less. One program leaves some 100 MiB.
 */
const COLLECTOR = ["--max-semi-space-size=128", "--min-semi-space-size=128", "--single-threaded-gc"];

/** Starts a process of the bundle that users run. */
function startWorker(): ChildProcess {
  return fork(join(repositoryRoot(), "cli", "run.mjs"), ["fleet", WORKER_FLAG], {
    execArgv: COLLECTOR,
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
}
