import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { InferenceObserver } from "../inference/observer";
import type { FinishReason } from "../inference/record";
import type { InferenceStore } from "../inference/store";
import type { Tasks } from "../tasks/task";

/** Finish reasons of incomplete answers. */
const FAILED_ENDS = ["error", "idle", "interrupted"] as const satisfies readonly FinishReason[];

/** Prometheus metrics of asynchronous inference, without callers or content. */
export class InferenceMetrics implements InferenceObserver {
  private readonly tasks: Gauge<"state">;
  private readonly oldest: Gauge;
  private readonly ended: Counter<"model" | "outcome">;
  private readonly tokens: Counter<"model" | "direction">;
  private readonly waited: Histogram<"model">;
  private readonly answering: Histogram<"model">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.tasks = new Gauge({
      name: "model_control_inference_tasks",
      help: "Unfinished inference tasks, by state: waiting (for others, or for the model) or running",
      labelNames: ["state"],
      registers,
    });
    this.oldest = new Gauge({
      name: "model_control_inference_oldest_waiting_seconds",
      help: "Since the request of the oldest inference task that waits; 0 when none does",
      registers,
    });
    this.ended = new Counter({
      name: "model_control_inference_answers_total",
      help: "Prompts that ended, by the reason that their answer did: error without an answer",
      labelNames: ["model", "outcome"],
      registers,
    });
    this.expectFailures("");
    this.tokens = new Counter({
      name: "model_control_inference_tokens_total",
      help: "Tokens of prompts (in) and of answers (out), as engines count them",
      labelNames: ["model", "direction"],
      registers,
    });
    this.waited = new Histogram({
      name: "model_control_inference_waiting_seconds",
      help: "Time from a task's request until a prompt of it was put to the engine that answered it",
      labelNames: ["model"],
      buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400],
      registers,
    });
    this.answering = new Histogram({
      name: "model_control_inference_answering_seconds",
      help: "Time from then until the answer's end",
      labelNames: ["model"],
      buckets: [0.1, 0.5, 1, 2.5, 5, 15, 30, 60, 120, 300, 600],
      registers,
    });
  }

  readonly answered: InferenceObserver["answered"] = (answer) => {
    const { model, outcome, promptTokens = 0, completionTokens = 0, waitedSeconds, seconds } = answer;
    this.expectFailures(model);
    this.ended.inc({ model, outcome });
    this.tokens.inc({ model, direction: "in" }, promptTokens);
    this.tokens.inc({ model, direction: "out" }, completionTokens);
    if (waitedSeconds !== undefined && seconds !== undefined) {
      this.waited.observe({ model }, waitedSeconds);
      this.answering.observe({ model }, seconds);
    }
  };

  /** Starts counters at zero: alerts miss an increase in a new counter. */
  private expectFailures(model: string): void {
    for (const outcome of FAILED_ENDS) {
      this.ended.inc({ model, outcome }, 0);
    }
  }

  /** Measures the queue; the series are absent if Redis does not answer. */
  async collect(store: Pick<InferenceStore, "waiting">, tasks: Pick<Tasks, "inferenceCounts">): Promise<void> {
    const [waiting, counts] = await Promise.allSettled([store.waiting(), tasks.inferenceCounts()]);
    this.tasks.reset();
    this.oldest.remove();
    if (waiting.status === "fulfilled" && counts.status === "fulfilled") {
      const { queued, running } = counts.value;
      this.tasks.set({ state: "waiting" }, Math.max(0, queued));
      this.tasks.set({ state: "running" }, running);
      this.oldest.set(waiting.value.oldestSeconds);
    }
  }
}
