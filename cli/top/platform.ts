/** A platform's servers, asked together. */
import { setMaxListeners } from "node:events";
import { deadline } from "../deadline";
import type { Prometheus } from "../prometheus/client";
import type { HttpClient } from "../smoke/http";
import { askControl } from "./control";
import type { ControlFacts, MetricFacts, PlanFacts, Snapshot } from "./facts";
import { asked, type Feed } from "./feed";
import { askMetrics } from "./metrics";
import { snapshotOf } from "./snapshot";

/** All requests of one picture: with unresponsive engines the control API takes some seconds. */
const ANSWER_SECONDS = 10;

interface Servers {
  readonly plan?: PlanFacts;
  readonly control?: HttpClient;
  readonly prometheus?: { readonly url: string; readonly client: Prometheus };
}

export class Platform {
  private control: Feed<ControlFacts>;
  private metrics: Feed<MetricFacts>;

  constructor(
    private readonly servers: Servers,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.control = { state: { url: servers.control?.base, ok: false } };
    this.metrics = { state: { url: servers.prometheus?.url, ok: false } };
  }

  /** Before the first answer, and between two. */
  known(): Snapshot {
    return snapshotOf({ plan: this.servers.plan, control: this.control, prometheus: this.metrics }, this.now());
  }

  /** Servers without an answer are included with the reason. @param ended aborts the requests. */
  async ask(ended?: AbortSignal): Promise<Snapshot> {
    const { control, prometheus } = this.servers;
    const late = deadline(ANSWER_SECONDS);
    const signal = ended === undefined ? late.signal : AbortSignal.any([late.signal, ended]);
    // Node warns above ten, on the drawn terminal.
    setMaxListeners(0, signal);
    try {
      [this.control, this.metrics] = await Promise.all([
        control === undefined ? this.control : asked(this.control, () => askControl(control, signal), this.now),
        prometheus === undefined
          ? this.metrics
          : asked(this.metrics, () => askMetrics(prometheus.client, signal), this.now),
      ]);
    } finally {
      late.stop();
    }
    return this.known();
  }
}
