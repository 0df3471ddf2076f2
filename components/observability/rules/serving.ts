import { metric, namedSummaries, seriesOf, summaryP99Ms } from "../../../engines/metrics";
import { SIGNAL_SERIES } from "../../../names/recorded-series";
import { answerTimeSeries, GATEWAY_P99_MS } from "./error-series";
import { LEVEL } from "./level-series";
import { KV_CACHE_LIMIT } from "./limits";
import { modelNamespaceSeries, ofModels } from "./models";
import { KIND } from "./planned-kinds";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";
import { underWay } from "./under-way";

/** For cases: labels of the engine `chat`. */
const CHAT = 'namespace="model-chat",pod="chat-0",model="chat",model_name="chat",engine="0"';
const OF_CHAT = { namespace: "model-chat", model: "chat" };

/** For cases: names of the first engine that reports it. */
const [waiting, kvCacheUsage, firstToken, latency] = (
  ["requestsWaiting", "kvCacheUsage", "timeToFirstTokenSeconds", "latencySeconds"] as const
).map((meaning) => seriesOf(meaning)[0]);

const p99OfHistograms = `1000 * histogram_quantile(0.99, sum by (namespace, model, le) (${metric("latencySeconds", (series) => `rate(${series}_bucket[5m])`)}))`;

const p99Latency: RecordingRule = {
  record: SIGNAL_SERIES.latency,
  expr: [p99OfHistograms, ...seriesOf("latencySummaryMicroseconds").map(summaryP99Ms), GATEWAY_P99_MS].join(" or "),
  about:
    "99th percentile of the time from request to last token, in milliseconds, per model: as the engine says it, or the gateway of engines that do not.",
  cases: {
    gives: {
      series: {
        [`${latency}_bucket{${CHAT},le="1"}`]: "0+0x20",
        [`${latency}_bucket{${CHAT},le="2"}`]: "0+60x20",
        [`${latency}_bucket{${CHAT},le="+Inf"}`]: "0+60x20",
        // The engine's series wins; Ollama has the gateway's only.
        ...answerTimeSeries("chat", "0+30x20", "0+60x20"),
        ...answerTimeSeries("drafts", "0x20", "0+60x20"),
      },
      at: "15m",
      samples: {
        'inference_p99_latency_ms{namespace="model-chat",model="chat"}': 1990,
        'inference_p99_latency_ms{namespace="model-drafts",model="drafts"}': 2485,
      },
    },
  },
};

/** The slower of two replicas counts. */
const namedP99: readonly RecordingRule[] = namedSummaries().map(({ name, series }) => ({
  record: name,
  expr: summaryP99Ms(series),
  about: `99th percentile of a request's time in milliseconds, per model; the same as ${p99Latency.record}.`,
  cases: {
    gives: {
      series: {
        [`${series}{namespace="model-rank",pod="rank-0",model="rank",quantile="0.99"}`]: "40000x20",
        [`${series}{namespace="model-rank",pod="rank-1",model="rank",quantile="0.99"}`]: "70000x20",
        [`${series}{namespace="model-rank",pod="rank-1",model="rank",quantile="0.999"}`]: "90000x20",
      },
      at: "15m",
      samples: { [`${name}{namespace="model-rank",model="rank"}`]: 70 },
    },
  },
}));

const queueGrowing: AlertRule = {
  alert: "RequestQueueGrowing",
  expr: `
    sum by (namespace, model) (${metric("requestsWaiting", (series) => `min_over_time(${series}[10m])`)}) > 0
    and
    sum by (namespace, model) (${metric("requestsWaiting", (series) => `avg_over_time(${series}[5m])`)})
      > sum by (namespace, model) (${metric("requestsWaiting", (series) => `avg_over_time(${series}[5m] offset 10m)`)})`,
  for: "5m",
  severity: "warning",
  summary: "Requests for {{ $labels.model }} wait longer and longer",
  description:
    "The queue of {{ $labels.model }} has grown for 10 minutes and never had fewer than {{ $value }} requests: demand exceeds its replicas. Add replicas or lower the context length.",
  cases: {
    fires: { series: { [`${waiting}{${CHAT}}`]: "0+2x60" }, at: "40m", labels: OF_CHAT },
    // A short, steady queue is batching.
    quiet: { series: { [`${waiting}{${CHAT}}`]: "4x60" }, at: "40m" },
  },
};

const kvCacheAlmostFull: AlertRule = {
  alert: "KvCacheAlmostFull",
  expr: `max by (namespace, model, pod) (${metric("kvCacheUsage", (series) => `avg_over_time(${series}[5m])`)}) > ${KV_CACHE_LIMIT}`,
  for: "10m",
  severity: "warning",
  summary: "KV cache of {{ $labels.model }} is {{ $value | humanizePercentage }} full",
  description:
    "Pod {{ $labels.pod }} has used more than 90 % of its KV cache for 10 minutes: its engine soon preempts requests and recomputes them. Lower the concurrency or the context length, or give the model more GPU memory.",
  cases: {
    fires: {
      series: { [`${kvCacheUsage}{${CHAT}}`]: "0.95x40" },
      at: "20m",
      labels: { ...OF_CHAT, pod: "chat-0" },
    },
    quiet: { series: { [`${kvCacheUsage}{${CHAT}}`]: "0.88x40" }, at: "20m" },
  },
};

const highTimeToFirstToken: AlertRule = {
  alert: "HighTimeToFirstToken",
  expr: `histogram_quantile(0.95, sum by (namespace, model, le) (${metric("timeToFirstTokenSeconds", (series) => `rate(${series}_bucket[5m])`)})) > 5 unless on (namespace, model) ${LEVEL.firstToken}`,
  for: "10m",
  severity: "warning",
  summary: "First token of {{ $labels.model }} takes {{ $value | humanizeDuration }}",
  description:
    "One request in twenty for {{ $labels.model }}, which has no service level for times, waits over 5 seconds for its first token. If the queue grows, add replicas; if prompts do, see prefill.",
  cases: {
    fires: {
      series: {
        [`${firstToken}_bucket{${CHAT},le="5.0"}`]: "0+50x40",
        [`${firstToken}_bucket{${CHAT},le="10.0"}`]: "0+60x40",
        [`${firstToken}_bucket{${CHAT},le="+Inf"}`]: "0+60x40",
      },
      at: "30m",
      labels: OF_CHAT,
    },
    quiet: {
      series: {
        [`${firstToken}_bucket{${CHAT},le="5.0"}`]: "0+58x40",
        [`${firstToken}_bucket{${CHAT},le="10.0"}`]: "0+60x40",
        [`${firstToken}_bucket{${CHAT},le="+Inf"}`]: "0+60x40",
      },
      at: "30m",
    },
  },
};

/** Engines with summaries also serve small models. */
const [{ name: namedP99Series = "", series: summary = "" } = {}] = namedSummaries();

const requestLatencyHigh: AlertRule = {
  alert: "RequestLatencyHigh",
  // Text takes seconds. Its first part (first_response) depends on the client, so no objective can
  // use it.
  expr: `${namedP99Series} > 90 and on (model) ${KIND.brief}`,
  for: "10m",
  severity: "warning",
  summary: "One request in a hundred for {{ $labels.model }} takes {{ $value | humanize }} ms",
  description:
    "The slowest replica of {{ $labels.model }} has had a 99th percentile above 90 ms for 10 minutes, queue included. That is long for a model that classifies, embeds or ranks.",
  cases: {
    fires: {
      series: {
        [`${summary}{namespace="model-rank",pod="rank-0",model="rank",quantile="0.99"}`]: "40000x30",
        [`${summary}{namespace="model-rank",pod="rank-1",model="rank",quantile="0.99"}`]: "120000x30",
        [`${KIND.brief}{model="rank"}`]: "1x30",
      },
      at: "20m",
      labels: { namespace: "model-rank", model: "rank" },
    },
    // One in a thousand is slow, one in a hundred for 5 minutes; another model writes text.
    quiet: {
      series: {
        [`${summary}{namespace="model-drafts",pod="drafts-0",model="drafts",quantile="0.99"}`]: "9000000x30",
        [`${KIND.brief}{model="rank"}`]: "1x30",
        [`${summary}{namespace="model-rank",pod="rank-0",model="rank",quantile="0.99"}`]: "40000x10 95000x5 40000x15",
        [`${summary}{namespace="model-rank",pod="rank-0",model="rank",quantile="0.999"}`]: "300000x30",
      },
      at: "20m",
    },
  },
};

const loadFailing: AlertRule = {
  alert: "ModelLoadFailing",
  // Init containers fetch weights; a loader may stay. A pod that was Ready has them.
  expr: `
    max by (namespace, model, pod, container) (${ofModels(
      'max_over_time(kube_pod_init_container_status_waiting_reason{reason="CrashLoopBackOff"}[15m])',
    )}) > 0
    unless on (namespace, pod)
    kube_pod_status_ready{condition="true"} > 0`,
  for: "5m",
  severity: "critical",
  summary: "{{ $labels.container }} of {{ $labels.pod }} cannot load the weights of {{ $labels.model }}",
  description:
    "The container failed more than once and restarts with growing delays: this replica of {{ $labels.model }} does not become ready. The last lines of its log name the cause.",
  cases: {
    fires: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        'kube_pod_init_container_status_waiting_reason{namespace="model-chat",pod="chat-2",container="loader",reason="CrashLoopBackOff"}':
          "0x4 1x3 _x6 1x25",
        'kube_pod_status_ready{namespace="model-chat",pod="chat-2",condition="true"}': "0x40",
      },
      at: "20m",
      labels: { ...OF_CHAT, pod: "chat-2", container: "loader" },
    },
    quiet: {
      series: {
        ...modelNamespaceSeries("chat", "1x40"),
        'kube_pod_init_container_status_waiting_reason{namespace="model-chat",pod="chat-2",container="loader",reason="CrashLoopBackOff"}':
          "0x4 1x3 _x33",
        'kube_pod_status_ready{namespace="model-chat",pod="chat-2",condition="true"}': "0x8 1x32",
        'kube_pod_init_container_status_waiting_reason{namespace="elsewhere",pod="other",container="init",reason="CrashLoopBackOff"}':
          "1x40",
        'kube_pod_status_ready{namespace="elsewhere",pod="other",condition="true"}': "0x40",
      },
      at: "20m",
    },
  },
};

export const serving: RuleSubject = {
  subject: "serving",
  recording: [p99Latency, ...namedP99, underWay],
  alerts: [queueGrowing, kvCacheAlmostFull, highTimeToFirstToken, requestLatencyHigh, loadFailing],
};
