import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { endsAfter } from "../backends/time-limit";
import type { UnloadReason } from "../fleet/events";
import type { Fleet, WorkerReport } from "../fleet/fleet";
import type { InferenceStore } from "../inference/store";
import { type QueueMemory, TASK_KINDS, type Tasks } from "../tasks/task";
import type { RefusalObserver } from "../tasks/task-queue";
import type { TaskObserver } from "../tasks/task-runner";
import { InferenceMetrics } from "./inference-metrics";

/** Timeout per engine, in seconds; total timeout in milliseconds. */
const ENGINE_SECONDS = 2;
const PATIENCE = 5_000;

/** Prometheus metrics. Names start with `model_control_`, except Node's process metrics. */
export class Metrics implements TaskObserver, RefusalObserver {
  private readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: "model_control_http_request_duration_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15],
    registers: [this.registry],
  });
  private readonly ended = new Counter({
    name: "model_control_tasks_finished_total",
    help: "Tasks that ended, by outcome: completed, failed or cancelled",
    labelNames: ["kind", "outcome"],
    registers: [this.registry],
  });
  private readonly failedAttempts = new Counter({
    name: "model_control_task_attempts_failed_total",
    help: "Tries of tasks that failed and are made again",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: "model_control_tasks_refused_total",
    help: "Tasks that were refused, by whose limit: owner (of one caller), all (of all callers) or memory (of the queue's server)",
    labelNames: ["kind", "reason", "owner"],
    registers: [this.registry],
  });
  private readonly durations = new Histogram({
    name: "model_control_task_duration_seconds",
    help: "Time from a task's request to its end, waiting included",
    labelNames: ["kind", "outcome"],
    buckets: [0.5, 1, 5, 15, 60, 300, 900, 3600, 10_800],
    registers: [this.registry],
  });

  private readonly evictions = new Counter({
    name: "model_control_evictions_total",
    help: "Models that left a worker to make room, by what they left: memory or disk",
    labelNames: ["worker", "from"],
    registers: [this.registry],
  });

  private readonly unloads = new Counter({
    name: "model_control_unloads_total",
    help: "Models that left a worker's memory through this API, by reason: request, stop, room or idle",
    labelNames: ["worker", "reason"],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // Starts at zero: alerts miss the first increase of a new series.
    for (const kind of TASK_KINDS) {
      this.ended.inc({ kind, outcome: "failed" }, 0);
    }
  }

  readonly contentType = this.registry.contentType;

  /**
   * Adds the inference queue to the metrics.
   * @returns observer of answers.
   */
  observeInference(store: Pick<InferenceStore, "waiting">, tasks: Pick<Tasks, "inferenceCounts">): InferenceMetrics {
    const inference = new InferenceMetrics(this.registry);
    // Starts at zero, like failures.
    this.requests.zero({ method: "POST", route: "/inference", status: "503" });
    const collect = this.collect;
    this.collect = async () => {
      await Promise.all([collect(), inference.collect(store, tasks)]);
    };
    return inference;
  }

  /** Measures the queue and workers at every scrape. */
  observe(tasks: Tasks, fleet: Fleet): void {
    const queueUp = this.gauge("model_control_queue_up", "1 when the task queue answers and takes tasks", []);
    const memory = this.memoryGauges();
    const waiting = this.gauge("model_control_tasks", "Unfinished tasks, by state: queued or running", ["state"]);
    const workers = this.workerGauges();
    this.collect = async () => {
      const [ping, counts, used, reports] = await Promise.allSettled([
        tasks.ping(),
        tasks.counts(),
        tasks.memory(),
        fleet.workers(endsAfter(PATIENCE), ENGINE_SECONDS),
      ]);
      queueUp.set(ping.status === "fulfilled" ? 1 : 0);
      memory(used.status === "fulfilled" ? used.value : undefined);
      waiting.reset();
      if (counts.status === "fulfilled") {
        waiting.set({ state: "queued" }, counts.value.queued);
        waiting.set({ state: "running" }, counts.value.running);
      }
      workers(reports.status === "fulfilled" ? reports.value : []);
    };
  }

  /** Metrics in Prometheus text format. */
  async read(): Promise<string> {
    await this.collect();
    return this.registry.metrics();
  }

  readonly answered = (method: string, route: string, status: number, seconds: number): void => {
    this.requests.observe({ method, route, status: String(status) }, seconds);
  };

  evicted(worker: string, from: "memory" | "disk"): void {
    this.evictions.inc({ worker, from });
  }

  unloaded(worker: string, reason: UnloadReason): void {
    this.unloads.inc({ worker, reason });
  }

  finished: TaskObserver["finished"] = (kind, outcome, seconds) => {
    this.ended.inc({ kind, outcome });
    this.durations.observe({ kind, outcome }, seconds);
  };

  attemptFailed: TaskObserver["attemptFailed"] = (kind) => {
    this.failedAttempts.inc({ kind });
  };

  /** @param owner id from the tokens file, which bounds the number of series. */
  refused: RefusalObserver["refused"] = (kind, reason, owner) => {
    this.refusals.inc({ kind, reason, owner });
  };

  private collect: () => Promise<void> = async () => {};

  private memoryGauges(): (memory: QueueMemory | undefined) => void {
    const used = this.gauge("model_control_queue_memory_used_bytes", "Memory that the task queue's server takes", []);
    const limit = this.gauge(
      "model_control_queue_memory_limit_bytes",
      "Memory from which on it takes no writes; 0 without a limit",
      [],
    );
    return (memory) => {
      for (const gauge of [used, limit]) {
        gauge.remove();
      }
      if (memory === undefined) {
        return;
      }
      used.set(memory.usedBytes);
      limit.set(memory.limitBytes);
    };
  }

  private workerGauges(): (reports: readonly WorkerReport[]) => void {
    const state = this.gauge("model_control_worker_state", "1 for the state that the worker is in", [
      "worker",
      "backend",
      "state",
    ]);
    const memoryBudget = this.gauge("model_control_worker_memory_budget_bytes", "Memory that models may take", [
      "worker",
    ]);
    const memoryUsed = this.gauge("model_control_worker_memory_used_bytes", "Memory that models take", ["worker"]);
    const diskBudget = this.gauge("model_control_worker_disk_budget_bytes", "Disk that models may take", ["worker"]);
    const diskUsed = this.gauge("model_control_worker_disk_used_bytes", "Disk that models take", ["worker"]);
    const gauges = [state, memoryBudget, memoryUsed, diskBudget, diskUsed];
    return (reports) => {
      for (const gauge of gauges) {
        gauge.reset();
      }
      for (const { name: worker, backend, state: now, memory, disk } of reports) {
        state.set({ worker, backend, state: now }, 1);
        memoryBudget.set({ worker }, memory.budgetBytes);
        memoryUsed.set({ worker }, memory.usedBytes);
        if (disk === undefined) {
          continue;
        }
        diskBudget.set({ worker }, disk.budgetBytes);
        diskUsed.set({ worker }, disk.usedBytes);
      }
    };
  }

  private gauge<T extends string>(name: string, help: string, labelNames: T[]): Gauge<T> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }
}
