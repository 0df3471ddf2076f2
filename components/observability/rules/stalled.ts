import { metric, seriesOf } from "../../../engines/metrics";
import type { AlertRule, RuleSubject } from "./types";

/** With data parallelism a pod has several engines. */
const EACH = "(namespace, model, pod, engine)";

const OF_CHAT = { namespace: "model-chat", model: "chat", pod: "chat-0", engine: "0" };

/** For cases: names of the first engine that reports it. */
const [running, waiting, cacheUsage, generated, ended] = (
  ["requestsRunning", "requestsWaiting", "kvCacheUsage", "generatedTokensTotal", "requestsTotal"] as const
).map((meaning) => seriesOf(meaning)[0]);

/** Running and waiting requests at one moment; `over` aggregates time. */
const requests = (over: (series: string) => string) =>
  (["requestsRunning", "requestsWaiting"] as const)
    .map((meaning) => `min by ${EACH} (${metric(meaning, over)})`)
    .join(` + on ${EACH} `);

interface Past {
  readonly runs: string;
  readonly waits: string;
  readonly cache: string;
  readonly tokens: string;
  readonly ended?: string;
}

function past(model: string, { runs, waits, cache, tokens, ended: endings = "0x40" }: Past): Record<string, string> {
  const of = `namespace="model-${model}",pod="${model}-0",model="${model}",model_name="${model}",engine="0"`;
  return {
    [`${running}{${of}}`]: runs,
    [`${waiting}{${of}}`]: waits,
    [`${cacheUsage}{${of}}`]: cache,
    [`${generated}{${of}}`]: tokens,
    [`${ended}{${of},finished_reason="stop"}`]: endings,
  };
}

/**
 * Each step moves the KV cache usage (vLLM 0.32, Scheduler.update_from_output), by prompt chunks or
 * tokens. No step with running requests is a hang. Triton, Ollama and TGI lack the metric.
 */
const engineStalled: AlertRule = {
  alert: "EngineStalled",
  expr: `
    (${requests((series) => `min_over_time(${series}[5m])`)}) > 0
    and on ${EACH} (${requests((series) => `${series} offset 5m`)}) > 0
    and on ${EACH} max by ${EACH} (${metric("kvCacheUsage", (series) => `changes(${series}[5m])`)}) == 0
    and on ${EACH} max by ${EACH} (${metric("generatedTokensTotal", (series) => `increase(${series}[5m])`)}) == 0
    unless on ${EACH} max by ${EACH} (${metric("requestsTotal", (series) => `increase(${series}[5m])`)}) > 0`,
  for: "30s",
  severity: "critical",
  summary: "The engine of {{ $labels.pod }} hangs with {{ $value }} requests",
  description:
    "{{ $labels.pod }} of {{ $labels.model }} has had requests for 5 minutes without reading a prompt or writing a token. Its engine hangs, though its health path answers. Delete the pod with --grace-period=1.",
  cases: {
    fires: {
      series: past("chat", { runs: "4x40", waits: "0x40", cache: "0.3+0.01x9 0.4x30", tokens: "0+900x9 8100x30" }),
      at: "18m",
      labels: OF_CHAT,
    },
    quiet: {
      series: {
        // A prompt of 12 minutes; a step of 5.
        ...past("chat", { runs: "1x40", waits: "0x40", cache: "0.1+0.01x12 0.22x27", tokens: "0x12 0+60x27" }),
        ...past("wide", { runs: "0x2 1x38", waits: "0x40", cache: "0x2 0.9x5 0.9+0.001x33", tokens: "0x7 0+10x33" }),
        // No requests; begun lately; embeddings without tokens and cache.
        ...past("idle", { runs: "0x40", waits: "0x40", cache: "0x40", tokens: "500x40" }),
        ...past("new", { runs: "_x5 1x4", waits: "_x5 2x4", cache: "_x5 0.2x4", tokens: "_x5 0x4" }),
        ...past("embed", { runs: "1x40", waits: "3x40", cache: "0x40", tokens: "0x40", ended: "0+50x40" }),
      },
      at: "8m",
    },
  },
};

export const stalled: RuleSubject = { subject: "stalled", recording: [], alerts: [engineStalled] };
