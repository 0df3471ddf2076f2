import { NODE_CLUSTERS } from "../../node/envoy-names";
import type { AlertRule, RecordingRule, RuleSubject } from "./types";

/**
 * Envoy counts `/health` apart from inference (`NODE_CLUSTERS`). The monitor adds `group`
 * (`nodeTargets`).
 */
const HEALTH = `envoy_cluster_name="${NODE_CLUSTERS.health}",group!=""`;
const ENGINE = `envoy_cluster_name="${NODE_CLUSTERS.engine}",group!=""`;
const NODE = "namespace, model, group, pod";

const ANSWERS = "envoy_cluster_upstream_rq_xx";
const REFUSED = "envoy_cluster_upstream_cx_connect_fail";
const TIMED_OUT = "envoy_cluster_upstream_rq_timeout";
const TIMES = "envoy_cluster_upstream_rq_time_bucket";

/** Probed every few seconds. A node that was never healthy has no series of successes. */
const well = `sum by (${NODE}) (increase(${ANSWERS}{${HEALTH},envoy_response_code_class="2"}[2m]))`;
const unreachable = `sum by (${NODE}) (increase(${REFUSED}{${HEALTH}}[2m]) + increase(${TIMED_OUT}{${HEALTH}}[2m])) > 0`;

const OF_CHAT = { namespace: "model-chat", model: "chat", group: "cluster" };
const chatNode = (pod: string, cluster: keyof typeof NODE_CLUSTERS, more = ""): string =>
  `{namespace="model-chat",model="chat",group="cluster",pod="${pod}",envoy_cluster_name="${NODE_CLUSTERS[cluster]}"${more}}`;
const health = (
  pod: string,
  answers: { readonly ok: string; readonly failed?: string; readonly unreachable?: string },
) => ({
  [`${ANSWERS}${chatNode(pod, "health", ',envoy_response_code_class="2"')}`]: answers.ok,
  [`${ANSWERS}${chatNode(pod, "health", ',envoy_response_code_class="5"')}`]: answers.failed ?? "0x60",
  [`${REFUSED}${chatNode(pod, "health")}`]: answers.unreachable ?? "0x60",
  [`${TIMED_OUT}${chatNode(pod, "health")}`]: "0x60",
});

const healthyNodes: RecordingRule = {
  record: "inference:group_healthy_nodes:count",
  expr: `sum by (group) (${well} > bool 0)`,
  about:
    "Nodes of a server group whose engine has its model, as their own /health says; of those that were well since they started.",
  cases: {
    gives: {
      series: {
        ...health("chat-0", { ok: "0+12x30" }),
        ...health("chat-1", { ok: "0+12x10 120x20", failed: "0x10 0+12x20" }),
      },
      at: "20m",
      samples: { 'inference:group_healthy_nodes:count{group="cluster"}': 1 },
    },
  },
};

const groupP99: RecordingRule = {
  record: "inference_group_p99_latency_ms",
  expr: `histogram_quantile(0.99, sum by (group, le) (rate(${TIMES}{${ENGINE}}[5m])))`,
  about:
    "99th percentile of the time from a request to the end of its engine's answer, in milliseconds, per server group.",
  cases: {
    gives: {
      series: {
        [`${TIMES}${chatNode("chat-0", "engine", ',le="1000"')}`]: "0+0x20",
        [`${TIMES}${chatNode("chat-0", "engine", ',le="2500"')}`]: "0+60x20",
        [`${TIMES}${chatNode("chat-0", "engine", ',le="+Inf"')}`]: "0+60x20",
        // Health checks would lower the latency.
        [`${TIMES}${chatNode("chat-0", "health", ',le="1"')}`]: "0+900x20",
        [`${TIMES}${chatNode("chat-0", "health", ',le="+Inf"')}`]: "0+900x20",
      },
      at: "15m",
      samples: { 'inference_group_p99_latency_ms{group="cluster"}': 2485 },
    },
  },
};

const unhealthy: AlertRule = {
  alert: "InferenceNodeUnhealthy",
  expr: `${unreachable} and ${well} == 0`,
  for: "5m",
  severity: "warning",
  summary: "Node {{ $labels.pod }} of group {{ $labels.group }} cannot reach its engine",
  description:
    "The engine of {{ $labels.model }} in pod {{ $labels.pod }} has refused connections or timed out for 5 minutes. The node reports unhealthy and gets no requests. It was healthy before: check how its container ended.",
  cases: {
    fires: {
      series: health("chat-0", { ok: "0+12x10 120x50", failed: "0x10 0+12x50", unreachable: "0x10 0+12x50" }),
      at: "20m",
      labels: { ...OF_CHAT, pod: "chat-0" },
    },
    // One answers; one's engine loads for the first time.
    quiet: {
      series: {
        ...health("chat-0", { ok: "0+12x60", unreachable: "0+1x60" }),
        [`${REFUSED}${chatNode("chat-1", "health")}`]: "0+12x60",
        [`${TIMED_OUT}${chatNode("chat-1", "health")}`]: "0x60",
      },
      at: "20m",
    },
  },
};

const degraded: AlertRule = {
  alert: "InferenceNodeDegraded",
  expr: `
    sum by (${NODE}) (increase(${ANSWERS}{${HEALTH},envoy_response_code_class!="2"}[2m])) > 0
    and ${well} == 0
    unless ${unreachable}`,
  for: "5m",
  severity: "warning",
  summary: "The engine of node {{ $labels.pod }} of group {{ $labels.group }} answers, but is not ready",
  description:
    "The engine of {{ $labels.model }} in pod {{ $labels.pod }} has failed its health path for 5 minutes. The node reports degraded and gets no requests. It was healthy before: it loads its model again, or is broken.",
  cases: {
    fires: {
      series: health("chat-0", { ok: "0+12x10 120x50", failed: "0x10 0+12x50" }),
      at: "20m",
      labels: { ...OF_CHAT, pod: "chat-0" },
    },
    quiet: {
      series: health("chat-0", { ok: "0+12x10 120x50", failed: "0x10 0+12x50", unreachable: "0x10 0+12x50" }),
      at: "20m",
    },
  },
};

const answers = (pod: string, ok: string, failed: string) => ({
  [`${ANSWERS}${chatNode(pod, "engine", ',envoy_response_code_class="2"')}`]: ok,
  [`${ANSWERS}${chatNode(pod, "engine", ',envoy_response_code_class="5"')}`]: failed,
});

const errors: AlertRule = {
  alert: "InferenceNodeErrors",
  expr: `
    sum by (${NODE}) (rate(${ANSWERS}{${ENGINE},envoy_response_code_class="5"}[5m]))
      / sum by (${NODE}) (rate(${ANSWERS}{${ENGINE}}[5m]))
      > 0.05`,
  for: "10m",
  severity: "warning",
  summary:
    "Node {{ $labels.pod }} of group {{ $labels.group }} fails {{ $value | humanizePercentage }} of its requests",
  description:
    "The engine of {{ $labels.model }} in pod {{ $labels.pod }} has answered more than 5 % of requests with 5xx for 10 minutes while it reports ok. If other nodes of {{ $labels.group }} are fine, check this machine and process.",
  cases: {
    fires: { series: answers("chat-0", "0+90x40", "0+10x40"), at: "30m", labels: { ...OF_CHAT, pod: "chat-0" } },
    // Health checks are no requests.
    quiet: {
      series: {
        ...answers("chat-0", "0+98x40", "0+2x40"),
        ...health("chat-0", { ok: "0+90x40", failed: "0+10x40" }),
      },
      at: "30m",
    },
  },
};

export const nodes: RuleSubject = {
  subject: "nodes",
  recording: [healthyNodes, groupP99],
  alerts: [unhealthy, degraded, errors],
};
