import { UnknownTask } from "../../../services/model-control/src/errors";
import type {
  Asker,
  InferenceRequest,
  QueueMemory,
  SharedRequest,
  TaskCounts,
  TaskReport,
  TaskRequest,
  Tasks,
} from "../../../services/model-control/src/tasks/task";

/** Tasks in memory; nothing works on them. While `away` is set, every method throws it. */
export class FakeTasks implements Tasks {
  readonly requests: TaskRequest[] = [];
  /** Who asked for those that are not inference. */
  readonly askers: Asker[] = [];
  readonly reports = new Map<string, TaskReport>();
  /** Those that can be woken. */
  readonly waiting = new Set<string>();
  /** Whom somebody tried to wake. */
  readonly woken: string[] = [];
  away?: Error;
  /** While it is set, every request for a task but inference throws it. */
  full?: Error;

  async submit(request: SharedRequest, asker: Asker): Promise<string> {
    this.answer();
    if (this.full !== undefined) {
      throw this.full;
    }
    this.askers.push(asker);
    return this.add(request);
  }

  async submitInference(request: InferenceRequest): Promise<string> {
    return this.add(request);
  }

  private async add(request: TaskRequest): Promise<string> {
    this.answer();
    this.requests.push(request);
    const id = `${request.kind}-${this.requests.length}`;
    this.reports.set(id, report(id, request));
    return id;
  }

  async find(id: string): Promise<TaskReport> {
    this.answer();
    const found = this.reports.get(id);
    if (found === undefined) {
      throw new UnknownTask(`there is no task "${id}"`);
    }
    return found;
  }

  async recent(limit: number): Promise<readonly TaskReport[]> {
    this.answer();
    return [...this.reports.values()].reverse().slice(0, limit);
  }

  async cancel(id: string): Promise<TaskReport> {
    const cancelled: TaskReport = { ...(await this.find(id)), state: "failed", error: "cancelled" };
    this.reports.set(id, cancelled);
    return cancelled;
  }

  async wake(id: string): Promise<boolean> {
    this.answer();
    this.woken.push(id);
    return this.waiting.has(id);
  }

  async counts(): Promise<TaskCounts> {
    this.answer();
    return { queued: this.requests.length, running: 0 };
  }

  async inferenceCounts(): Promise<TaskCounts> {
    this.answer();
    return { queued: 0, running: 0 };
  }

  async ping(): Promise<void> {
    this.answer();
  }

  async memory(): Promise<QueueMemory> {
    this.answer();
    return { usedBytes: 30, limitBytes: 100 };
  }

  private answer(): void {
    if (this.away !== undefined) {
      throw this.away;
    }
  }
}

function report(id: string, request: TaskRequest): TaskReport {
  return {
    id,
    kind: request.kind,
    model: "model" in request ? request.model : undefined,
    worker: "worker" in request ? request.worker : undefined,
    state: "queued",
    progress: 0,
    attempts: { made: 0, allowed: 5 },
    createdAt: new Date(0),
  };
}
