import { metric, seriesOf } from "../../../engines/metrics";
import type { AlertRule, RuleSubject } from "./types";

/** One engine: with data parallelism a pod has several. */
const EACH = "(namespace, model, pod, engine)";

const CHAT = 'namespace="model-chat",pod="chat-0",model="chat",model_name="chat",engine="0"';
const OF_CHAT = { namespace: "model-chat", model: "chat", pod: "chat-0", engine: "0" };

/** For cases: what the first engine that reports it calls the series. */
const [running, cacheUsage, generated] = (["requestsRunning", "kvCacheUsage", "generatedTokensTotal"] as const).map(
  (meaning) => seriesOf(meaning)[0],
);

const chat = (ran: string, cache: string, tokens: string) => ({
  [`${running}{${CHAT}}`]: ran,
  [`${cacheUsage}{${CHAT}}`]: cache,
  [`${generated}{${CHAT}}`]: tokens,
});

/**
 * Engines report of every step how full their KV cache is (vLLM 0.32, Scheduler.update_from_output): the share moves with each piece of a
 * prompt that is read, however long that takes, and with the tokens of answers. What stands still with requests running takes no steps.
 * Of engines without that share nothing is said: Triton, Ollama and TGI.
 */
const engineStalled: AlertRule = {
  alert: "EngineStalled",
  expr: `
    min by ${EACH} (${metric("requestsRunning", (series) => `min_over_time(${series}[5m])`)}) > 0
    and on ${EACH} max by ${EACH} (${metric("requestsRunning", (series) => `${series} offset 5m`)}) > 0
    and on ${EACH} max by ${EACH} (${metric("kvCacheUsage", (series) => `changes(${series}[5m])`)}) == 0
    and on ${EACH} max by ${EACH} (${metric("generatedTokensTotal", (series) => `increase(${series}[5m])`)}) == 0`,
  for: "30s",
  severity: "critical",
  summary: "The engine of {{ $labels.pod }} stands still with {{ $value }} requests",
  description:
    "For 5 minutes {{ $labels.pod }} of {{ $labels.model }} has had requests, read no prompt and written no token: its engine hangs, though its health path answers. Every request that reaches it hangs too. End the pod without a drain.",
  cases: {
    fires: { series: chat("4x40", "0.3+0.01x9 0.4x30", "0+900x9 8100x30"), at: "18m", labels: OF_CHAT },
    // A prompt that takes 12 minutes to read; one whose only step takes 5; an engine with nothing to do; one that has just begun.
    quiet: {
      series: {
        ...chat("1x40", "0.1+0.01x12 0.22x27", "0x12 0+60x27"),
        [`${running}{namespace="model-wide",pod="wide-0",model="wide",engine="0"}`]: "0x2 1x5 1x33",
        [`${cacheUsage}{namespace="model-wide",pod="wide-0",model="wide",engine="0"}`]: "0x2 0.9x5 0.9+0.001x33",
        [`${generated}{namespace="model-wide",pod="wide-0",model="wide",engine="0"}`]: "0x7 0+10x33",
        [`${running}{namespace="model-idle",pod="idle-0",model="idle",engine="0"}`]: "0x40",
        [`${cacheUsage}{namespace="model-idle",pod="idle-0",model="idle",engine="0"}`]: "0x40",
        [`${generated}{namespace="model-idle",pod="idle-0",model="idle",engine="0"}`]: "500x40",
        [`${running}{namespace="model-new",pod="new-0",model="new",engine="0"}`]: "_x5 1x4",
        [`${cacheUsage}{namespace="model-new",pod="new-0",model="new",engine="0"}`]: "_x5 0.2x4",
        [`${generated}{namespace="model-new",pod="new-0",model="new",engine="0"}`]: "_x5 0x4",
      },
      at: "8m",
    },
  },
};

/** Engines that hang with requests in them. */
export const stalled: RuleSubject = { subject: "stalled", recording: [], alerts: [engineStalled] };
