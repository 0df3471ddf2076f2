import { context, propagation } from "@opentelemetry/api";
import type { JobState, JobType } from "bullmq";
import type { Redis } from "ioredis";
import type { ControlConfig } from "../config";
import { QueueFull, TooManyQueued, unknownTask } from "../errors";
import { Admission, type Admitted } from "./admission";
import { FairQueue } from "./fair-queue";
import { laneOfId, newTaskId, reportOf, type TaskData, type TaskJob } from "./job";
import {
  deduplicationKey,
  jobOptions,
  type Lane,
  type LaneConfig,
  PUBLIC_LANES,
  QUEUE_PREFIX,
  type SharedLane,
  sharedLaneOf,
} from "./lanes";
import { Owners } from "./owners";
import { type LaneQueues, PATIENCE, QueueConnection } from "./queue-connection";
import { QueueRoom } from "./queue-room";
import { jobIn, letEnd, promoted } from "./queued-jobs";
import {
  type Asker,
  type InferenceRequest,
  type QueueMemory,
  type SharedRequest,
  type TaskCounts,
  TaskFinished,
  type TaskKind,
  type TaskReport,
  type Tasks,
} from "./task";
import { turnKeys } from "./turn-keys";

/** Server memory of a task: its record and list entries. */
const TASK_BYTES = 4096;

/** Tasks removed per pass. */
const SURPLUS_AT_ONCE = 1000;

/** Limit that refused a task, or the server's memory. */
export type Refusal = "owner" | "all" | "memory";

export interface RefusalObserver {
  refused(kind: TaskKind, reason: Refusal, owner: string): void;
}

const NOBODY: RefusalObserver = { refused: () => undefined };

/** Written to test writes: a full server answers, but refuses them. */
const PING_KEY = `${QUEUE_PREFIX}:ping`;

/** Task states by the queue's states, ended ones last. */
const JOB_TYPES: readonly { readonly type: JobType; readonly state: JobState }[] = [
  { type: "active", state: "active" },
  { type: "wait", state: "waiting" },
  { type: "prioritized", state: "prioritized" },
  { type: "delayed", state: "delayed" },
  { type: "completed", state: "completed" },
  { type: "failed", state: "failed" },
];

const UNFINISHED = ["active", "wait", "prioritized", "delayed"] as const satisfies readonly JobType[];

/** Tasks in Redis or Valkey, with reconnects: see `Tasks`. */
export class TaskQueue implements Tasks {
  private readonly queue: QueueConnection;
  private readonly admission: Admission;
  private readonly owners: Owners;
  private readonly room: QueueRoom;
  private readonly fair: Readonly<Record<SharedLane, FairQueue>>;

  constructor(
    private readonly redis: Redis,
    private readonly config: Pick<ControlConfig, "redis"> & LaneConfig,
    private readonly observer: RefusalObserver = NOBODY,
  ) {
    this.queue = new QueueConnection(redis, config);
    const { queuedPerCaller, queued } = config.pulls;
    this.admission = new Admission(redis, { perOwner: queuedPerCaller, all: queued });
    this.owners = new Owners(redis);
    this.room = new QueueRoom(this);
    this.fair = {
      pulls: new FairQueue(redis, turnKeys("pulls")),
      operations: new FairQueue(redis, turnKeys("operations")),
    };
  }

  async submit(request: SharedRequest, asker: Asker): Promise<string> {
    return this.queue.ask(async (queues) => {
      const lane = sharedLaneOf(request.kind);
      const what = deduplicationKey(request);
      const known = await queues[lane].getDeduplicationJobId(what);
      if (known && (await this.join(queues, lane, known, request, asker))) {
        return known;
      }
      if (!hasTurns(request, asker)) {
        return this.add(queues, lane, request);
      }
      const { owner, forInference } = asker;
      const written = await this.admit(lane, request, owner);
      try {
        const { queued } = await this.countsOf([lane]);
        const place = await this.fair[lane].place(owner, queued === 0);
        const id = newTaskId(request.kind);
        const added = await this.add(
          queues,
          lane,
          { ...request, owners: [owner], ...(forInference && { helper: true }) },
          id,
          place,
        );
        if (added !== id) {
          // Another caller made the same request concurrently.
          await this.join(queues, lane, added, request, asker);
        }
        return added;
      } finally {
        written();
        // It expires anyway.
        await this.admission.settle(lane, owner, what).catch(() => undefined);
      }
    });
  }

  async submitInference(request: InferenceRequest, place: number): Promise<string> {
    return this.queue.ask((queues) => this.add(queues, "inference", request, request.id, place));
  }

  async find(id: string): Promise<TaskReport> {
    return this.queue.ask(async (queues) => (await this.job(queues, id)).report);
  }

  async recent(limit: number): Promise<readonly TaskReport[]> {
    return this.queue.ask(async (queues) => {
      const lists = await Promise.all(
        PUBLIC_LANES.flatMap((lane) =>
          JOB_TYPES.map(async ({ type, state }) => {
            const jobs = (await queues[lane].getJobs([type], 0, limit - 1)) as (TaskJob | undefined)[];
            return jobs.filter((job) => job !== undefined).map((job) => reportOf(job, state));
          }),
        ),
      );
      // A task that moved between queries appears twice: the last, later state wins.
      const byId = new Map(lists.flat().map((report) => [report.id, report]));
      return [...byId.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, limit);
    });
  }

  async cancel(id: string): Promise<TaskReport> {
    return this.queue.ask(async (queues) => {
      const { job, state, report } = await this.job(queues, id);
      if (job.data.cancelled) {
        return report;
      }
      if (report.finishedAt !== undefined) {
        throw new TaskFinished(`task ${id} is ${report.state} already`);
      }
      await job.updateData({ ...job.data, cancelled: true });
      await letEnd(job, state);
      // It completed before the mark: must not be reported as cancelled.
      if ((await job.getState()) === "completed") {
        throw new TaskFinished(`task ${id} is completed already`);
      }
      return reportOf(job, state);
    });
  }

  /**
   * Unfinished tasks requested only by inference, except started wakes: cancelling one would leave
   * a worker half started.
   */
  async helpers(): Promise<readonly TaskReport[]> {
    return this.queue.ask(async (queues) => {
      const lists = await Promise.all(
        PUBLIC_LANES.map(
          (lane) =>
            queues[lane].getJobs([...UNFINISHED], 0, this.config.pulls.queued) as Promise<(TaskJob | undefined)[]>,
        ),
      );
      const isHelper = (job: TaskJob | undefined): job is TaskJob =>
        job?.data.helper === true &&
        !job.data.cancelled &&
        !(job.data.kind === "start" && job.processedOn !== undefined);
      return lists
        .flat()
        .filter(isHelper)
        .map((job) => reportOf(job, "waiting"));
    });
  }

  /**
   * Cancels a task requested only by inference.
   * @returns false if it has ended, or got another owner.
   */
  async abandon(id: string): Promise<boolean> {
    return this.queue.ask(async (queues) => {
      const lane = laneOfId(id);
      const job = await jobIn(queues, id);
      if (lane === undefined || job === undefined || !(await this.owners.abandon(lane, id))) {
        return false;
      }
      await letEnd(job, await job.getState());
      return true;
    });
  }

  /**
   * Removes the newest ownerless waiting pulls beyond one owner's limit, as earlier versions had
   * none.
   *
   * @returns the number removed; a few thousand at most.
   */
  async forgetSurplus(): Promise<number> {
    return this.queue.ask(async ({ pulls }) => {
      const { queuedPerCaller: most } = this.config.pulls;
      const withoutOwners = (jobs: readonly (TaskJob | undefined)[]) =>
        jobs.filter((job) => job !== undefined && job.data.owners === undefined).map((job) => job?.id ?? "");
      // The list also has pulls with owners whose process died.
      const inLine = withoutOwners(await pulls.getJobs(["wait"], most, most + SURPLUS_AT_ONCE - 1, true));
      // Pulls delayed while another one ran.
      const later = (await pulls.getDelayedCount()) > most ? await pulls.getDelayed(0, SURPLUS_AT_ONCE - 1) : [];
      const gone = [...inLine, ...withoutOwners(later).slice(most)];
      await Promise.all(gone.map((id) => pulls.remove(id)));
      return gone.length;
    });
  }

  async wake(id: string): Promise<boolean> {
    return this.queue.ask(async (queues) => {
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
    await this.queue.ask(() => this.redis.set(PING_KEY, "", "PX", PATIENCE));
  }

  async memory(): Promise<QueueMemory> {
    const lines = await this.queue.ask(() => this.redis.info("memory"));
    const figure = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(lines)?.[1] ?? 0);
    return { usedBytes: figure("used_memory"), limitBytes: figure("maxmemory") };
  }

  async close(): Promise<void> {
    await this.queue.close();
  }

  private async add(
    queues: LaneQueues,
    lane: Lane,
    data: TaskData,
    id = newTaskId(data.kind),
    place?: number,
  ): Promise<string> {
    const trace: Record<string, string> = {};
    propagation.inject(context.active(), trace);
    // An emptied server has lost the limit without notice.
    await this.queue.bound(queues, lane);
    const job = await queues[lane].add(data.kind, { ...data, trace }, jobOptions(id, data, this.config, place));
    return job.id ?? id;
  }

  /** @returns false if the task has ended, or will. */
  private async join(
    queues: LaneQueues,
    lane: SharedLane,
    id: string,
    request: SharedRequest,
    asker: Asker,
  ): Promise<boolean> {
    const owner = hasTurns(request, asker) ? asker.owner : undefined;
    const job = await jobIn(queues, id);
    const settle = owner !== undefined && takesOver(job, asker) ? await this.takeOver(lane, request, owner) : undefined;
    try {
      const joined = await this.owners.join(lane, id, owner, asker.forInference === true);
      const isNews = joined === "joined" || (joined === "known" && settle !== undefined);
      if (job !== undefined && isNews) {
        await this.advance(lane, job, owner, settle !== undefined);
      }
      return joined !== "gone";
    } finally {
      await settle?.();
    }
  }

  /** Gives a waiting task the best place of its owners; only owners that improve it pay a turn. */
  private async advance(lane: SharedLane, job: TaskJob, owner: string | undefined, pays: boolean): Promise<void> {
    const state = await job.getState();
    const isWaiting = state === "prioritized" || state === "delayed";
    const place =
      owner === undefined
        ? 0
        : pays
          ? await this.fair[lane].place(owner, false)
          : isWaiting
            ? await this.fair[lane].placeBefore(owner, job.priority)
            : undefined;
    if (place !== undefined && place < job.priority) {
      await job.changePriority({ priority: place });
    }
    // It may wait for a slot of its other owners.
    await promoted(job);
  }

  /**
   * Makes the owner responsible for a task requested only by inference.
   * @returns function to call when done.
   */
  private async takeOver(lane: SharedLane, request: SharedRequest, owner: string): Promise<() => Promise<unknown>> {
    const what = deduplicationKey(request);
    this.assertAdmitted(await this.admission.admit(lane, owner, what, false), lane, request, owner);
    return () => this.admission.settle(lane, owner, what).catch(() => undefined);
  }

  /**
   * @returns function to call after the write.
   * @throws TooManyQueued, QueueFull
   */
  private async admit(lane: SharedLane, request: SharedRequest, owner: string): Promise<() => void> {
    const written = await this.room.take(TASK_BYTES, "task");
    if (written === undefined) {
      this.observer.refused(request.kind, "memory", owner);
      const full = "the memory of the queue's server is nearly full: what is left is for stops, starts and cancelling";
      throw new QueueFull(`${full}. Try again when tasks have ended, and answers have run out`);
    }
    try {
      const admitted = await this.admission.admit(lane, owner, deduplicationKey(request));
      this.assertAdmitted(admitted, lane, request, owner);
      return written;
    } catch (error) {
      written();
      throw error;
    }
  }

  /** @throws TooManyQueued, QueueFull */
  private assertAdmitted(admitted: Admitted, lane: SharedLane, { kind }: SharedRequest, owner: string): void {
    const { queuedPerCaller, queued, backoffSeconds } = this.config.pulls;
    if (admitted === "admitted") {
      return;
    }
    this.observer.refused(kind, admitted, owner);
    throw admitted === "owner"
      ? new TooManyQueued(
          `${queuedPerCaller} ${lane} of this caller are unfinished, which is the limit per caller ("pulls.queuedPerCaller"): wait for some to end`,
          Math.ceil(backoffSeconds),
        )
      : new QueueFull(
          `${queued} ${lane} are unfinished, which is the limit for all callers ("pulls.queued"): try again later`,
        );
  }

  private async countsOf(lanes: readonly Lane[]): Promise<TaskCounts> {
    return this.queue.ask(async (queues) => {
      const counts = await Promise.all(lanes.map((lane) => queues[lane].getJobCounts(...UNFINISHED)));
      const sum = (...types: string[]) =>
        counts.reduce((total, count) => total + types.reduce((part, type) => part + (count[type] ?? 0), 0), 0);
      return { running: sum("active"), queued: sum("wait", "waiting", "prioritized", "delayed") };
    });
  }

  private async job(queues: LaneQueues, id: string): Promise<{ job: TaskJob; state: JobState; report: TaskReport }> {
    const found = await jobIn(queues, id);
    const state = await found?.getState();
    // It may have ended between the queries, so the first lacks its result.
    const hasEnded = (state === "failed" || state === "completed") && found?.finishedOn === undefined;
    const job = hasEnded ? await jobIn(queues, id) : found;
    if (job === undefined || state === undefined || state === "unknown") {
      throw unknownTask(id);
    }
    return { job, state, report: reportOf(job, state) };
  }
}

/** Whether a task requested only by others' inference becomes the caller's. */
function takesOver(job: TaskJob | undefined, { owner, forInference = false }: Asker): boolean {
  return job?.data.helper === true && !forInference && job.data.owners?.[0] !== owner;
}

/** Users' stops and starts have priority. */
function hasTurns({ kind }: SharedRequest, { forInference = false }: Asker): boolean {
  return forInference || kind === "pull" || kind === "load";
}
