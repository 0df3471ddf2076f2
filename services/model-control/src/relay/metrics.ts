import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { Dialect } from "./calls";

/**
 * Prometheus metrics of the relay. Names start with `model_relay_`, except Node's process metrics.
 */
export class RelayMetrics {
  private readonly registry = new Registry();
  private readonly requests = new Counter({
    name: "model_relay_requests_total",
    help: "Requests that ended, by API, model (empty where no worker has what was asked for) and status (0: the client left)",
    labelNames: ["api", "model", "status"],
    registers: [this.registry],
  });
  private readonly away = new Gauge({
    name: "model_relay_worker_away",
    help: "1 while a worker does not report its models",
    labelNames: ["worker"],
    registers: [this.registry],
  });

  readonly contentType = this.registry.contentType;

  constructor(workers: readonly string[]) {
    collectDefaultMetrics({ register: this.registry });
    for (const worker of workers) {
      this.away.set({ worker }, 0);
    }
  }

  /** @param running requests in progress. */
  watch(running: () => number): void {
    new Gauge({
      name: "model_relay_requests_running",
      help: "Requests in work",
      registers: [this.registry],
      collect() {
        this.set(running());
      },
    });
  }

  read(): Promise<string> {
    return this.registry.metrics();
  }

  readonly answered = (api: Dialect, model: string | undefined, status: number): void => {
    this.requests.inc({ api, model: model ?? "", status: String(status) });
  };

  workerAway(worker: string, isAway: boolean): void {
    this.away.set({ worker }, isAway ? 1 : 0);
  }
}
