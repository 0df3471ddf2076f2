import { context, propagation } from "@opentelemetry/api";
import { type JobState, type JobType, Queue } from "bullmq";
import type { Redis } from "ioredis";
import type { ControlConfig } from "../config";
import { ControlError, messageOf, QueueUnavailable, unknownTask } from "../errors";
import { laneOfId, newTaskId, reportOf, type TaskData, type TaskJob } from "./job";
import {
  concurrencyOf,
  jobOptions,
  LANES,
  type Lane,
  type LaneConfig,
  laneOf,
  PUBLIC_LANES,
  QUEUE_OPTIONS,
  QUEUE_PREFIX,
} from "./lanes";
import { CONNECTION_LOST, REDIS_PATIENCE, redisAddress, redisFailure } from "./redis";
import {
  CANCELLED,
  type QueueMemory,
  type TaskCounts,
  TaskFinished,
  type TaskKind,
  type TaskReport,
  type TaskRequest,
  type Tasks,
} from "./task";

type LaneQueue = Queue<TaskData, string | null, TaskKind>;
type LaneQueues = Readonly<Record<Lane, LaneQueue>>;

/** All of one method together may take this long, in milliseconds. */
const PATIENCE = REDIS_PATIENCE + 300;

/** Written to see whether the server takes writes: one that is full answers, and takes none. */
const PING_KEY = `${QUEUE_PREFIX}:ping`;

/** A task's state for each of the queue's own, the ended ones last. */
const JOB_TYPES: readonly { readonly type: JobType; readonly state: JobState }[] = [
  { type: "active", state: "active" },
  { type: "wait", state: "waiting" },
  { type: "prioritized", state: "prioritized" },
  { type: "delayed", state: "delayed" },
  { type: "completed", state: "completed" },
  { type: "failed", state: "failed" },
];

/** The tasks in Redis or Valkey. Its connection may come and go: see `Tasks`. */
export class TaskQueue implements Tasks {
  private opening?: Promise<LaneQueues>;
  private lastError = "no connection yet";

  constructor(
    private readonly redis: Redis,
    private readonly config: Pick<ControlConfig, "redis"> & LaneConfig,
  ) {
    redis.on("error", (error) => {
      this.lastError = messageOf(error);
    });
    // A server that came back empty has forgotten how much may run at once.
    redis.on("ready", () => {
      // An orderly end of the connection is no error: nothing else says why there is none.
      this.lastError = CONNECTION_LOST;
      this.opening
        ?.then((queues) => this.bound(queues))
        .catch((error) => {
          this.lastError = messageOf(error);
        });
    });
  }

  async submit(request: TaskRequest, place?: number): Promise<string> {
    return this.ask(async (queues) => {
      const trace: Record<string, string> = {};
      propagation.inject(context.active(), trace);
      const id = request.kind === "inference" ? request.id : newTaskId(request.kind);
      const lane = laneOf(request.kind);
      const queue = queues[lane];
      // A server that was emptied has forgotten it, and does not say so.
      await this.boundLane(queues, lane);
      const job = await queue.add(request.kind, { ...request, trace }, jobOptions(id, request, this.config, place));
      return job.id ?? id;
    });
  }

  async find(id: string): Promise<TaskReport> {
    return this.ask(async (queues) => (await this.job(queues, id)).report);
  }

  async recent(limit: number): Promise<readonly TaskReport[]> {
    return this.ask(async (queues) => {
      const lists = await Promise.all(
        PUBLIC_LANES.flatMap((lane) =>
          JOB_TYPES.map(async ({ type, state }) => {
            const jobs = (await queues[lane].getJobs([type], 0, limit - 1)) as (TaskJob | undefined)[];
            return jobs.filter((job) => job !== undefined).map((job) => reportOf(job, state));
          }),
        ),
      );
      // A task that moved on between two of the questions is in both answers: the later state, which comes last, counts.
      const byId = new Map(lists.flat().map((report) => [report.id, report]));
      return [...byId.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, limit);
    });
  }

  async cancel(id: string): Promise<TaskReport> {
    return this.ask(async (queues) => {
      const { job, state, report } = await this.job(queues, id);
      if (report.error === CANCELLED) {
        return report;
      }
      if (report.finishedAt !== undefined) {
        throw new TaskFinished(`task ${id} is ${report.state} already`);
      }
      await job.updateData({ ...job.data, cancelled: true });
      // The same request makes a new task from now on, even while this one still winds down.
      await job.removeDeduplicationKey();
      // It ended between the question and the mark: nobody may be told that it was cancelled.
      if ((await job.getState()) === "completed") {
        throw new TaskFinished(`task ${id} is completed already`);
      }
      // It may have started meanwhile, which ends it as well.
      if (state === "delayed") {
        await promoted(job);
      }
      return reportOf(job, state);
    });
  }

  async wake(id: string): Promise<boolean> {
    return this.ask(async (queues) => {
      const job = await jobIn(queues, id);
      return job !== undefined && (await promoted(job));
    });
  }

  async counts(): Promise<TaskCounts> {
    return this.countsOf(PUBLIC_LANES);
  }

  async inferenceCounts(): Promise<TaskCounts> {
    return this.countsOf(["inference"]);
  }

  async ping(): Promise<void> {
    await this.ask(() => this.redis.set(PING_KEY, "", "PX", PATIENCE));
  }

  async memory(): Promise<QueueMemory> {
    const lines = await this.ask(() => this.redis.info("memory"));
    const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(lines)?.[1] ?? 0);
    return { usedBytes: figure("used_memory"), limitBytes: figure("maxmemory") };
  }

  async close(): Promise<void> {
    const queues = await this.opening?.catch(() => undefined);
    await Promise.all(Object.values(queues ?? {}).map((queue) => queue.close()));
  }

  private async countsOf(lanes: readonly Lane[]): Promise<TaskCounts> {
    return this.ask(async (queues) => {
      const types = ["active", "wait", "prioritized", "delayed"] as const;
      const counts = await Promise.all(lanes.map((lane) => queues[lane].getJobCounts(...types)));
      const sum = (...types: string[]) =>
        counts.reduce((total, count) => total + types.reduce((part, type) => part + (count[type] ?? 0), 0), 0);
      return { running: sum("active"), queued: sum("wait", "waiting", "prioritized", "delayed") };
    });
  }

  private async job(queues: LaneQueues, id: string): Promise<{ job: TaskJob; state: JobState; report: TaskReport }> {
    const found = await jobIn(queues, id);
    const state = await found?.getState();
    // It may have ended between the two questions: what it ended with was not there for the first one.
    const hasEnded = (state === "failed" || state === "completed") && found?.finishedOn === undefined;
    const job = hasEnded ? await jobIn(queues, id) : found;
    if (job === undefined || state === undefined || state === "unknown") {
      throw unknownTask(id);
    }
    return { job, state, report: reportOf(job, state) };
  }

  /** @throws QueueUnavailable unless the answer comes in time. */
  private async ask<T>(question: (queues: LaneQueues) => Promise<T>): Promise<T> {
    if (this.redis.status !== "ready") {
      throw this.unavailable(this.lastError);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${PATIENCE} ms`)), PATIENCE);
    });
    try {
      return await Promise.race([this.open().then(question), late]);
    } catch (error) {
      if (error instanceof ControlError) {
        throw error;
      }
      throw this.unavailable(redisFailure(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A queue whose first command fails stays broken: it is opened when it is needed, and again after a failure. */
  private open(): Promise<LaneQueues> {
    this.opening ??= this.openLanes().catch((error) => {
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async openLanes(): Promise<LaneQueues> {
    const queues = {
      pulls: this.newLane("pulls"),
      operations: this.newLane("operations"),
      inference: this.newLane("inference"),
    };
    try {
      await Promise.all(Object.values(queues).map((queue) => queue.waitUntilReady()));
      await this.bound(queues);
      return queues;
    } catch (error) {
      await Promise.allSettled(Object.values(queues).map((queue) => queue.close()));
      throw error;
    }
  }

  private newLane(lane: Lane): LaneQueue {
    const queue: LaneQueue = new Queue(lane, { connection: this.redis, ...QUEUE_OPTIONS });
    queue.on("error", (error) => {
      this.lastError = messageOf(error);
    });
    return queue;
  }

  /** Tells the server how much may run at once. */
  private async bound(queues: LaneQueues): Promise<void> {
    await Promise.all(LANES.map((lane) => this.boundLane(queues, lane)));
  }

  private async boundLane(queues: LaneQueues, lane: Lane): Promise<void> {
    await queues[lane].setGlobalConcurrency(concurrencyOf(lane, this.config));
  }

  private unavailable(reason: string, cause?: unknown): QueueUnavailable {
    const address = redisAddress(this.config.redis);
    return new QueueUnavailable(`the task queue at ${address} cannot be reached: ${reason}`, { cause });
  }
}

async function jobIn(queues: LaneQueues, id: string): Promise<TaskJob | undefined> {
  const lane = laneOfId(id);
  return lane === undefined ? undefined : ((await queues[lane].getJob(id)) as TaskJob | undefined);
}

/** @returns false for a job that waits for no time, or no longer. */
async function promoted(job: TaskJob): Promise<boolean> {
  return job.promote().then(
    () => true,
    () => false,
  );
}
