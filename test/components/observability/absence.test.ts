/** An alert on something that is gone has no series, and is silent: each kind of series has an alert that tells of its absence. */
import { describe, expect, it } from "vitest";
import { expectedOf } from "../../../components/observability/rules/absent";
import { ALL_SUBJECTS } from "./all-subjects";
import { TARGETS } from "./fixture";
import { metricNames } from "./metric-names";

const alerts = ALL_SUBJECTS.flatMap((subject) => subject.alerts);

/** What tells that nobody says anything under names that begin so. Rules that the chart brings are named after it. */
const TOLD_BY: readonly (readonly [names: RegExp, alert: string])[] = [
  [/^kube_/, "KubeStateMetricsDown"],
  [/^(up|ALERTS)$/, "Watchdog (heartbeat)"],
  [/^(DCGM_|gpu_)/, "GpuMetricsMissing"],
  [/^(kubelet_|k3s_)/, "KubeletDown (kube-prometheus-stack)"],
  [/^node_/, "MetricsMissing"],
  [/^(envoy_|gen_ai_)/, "MetricsMissing"],
  [/^(vllm:|ray_|nv_|tgi_|mesh_|istio_|pilot_|citadel_|inference_)/, "MetricsMissing"],
  [
    /^(keda_|ratelimit_|argocd_|certmanager_|minio_|model_control_|karpenter_|operator_|leader_election_|otelcol_|loki_)/,
    "MetricsMissing",
  ],
];

const recordings = ALL_SUBJECTS.flatMap(({ recording }) => recording);

/** Names that a rule reads in the end. What a plan says is a constant, and is read of nobody. */
function readInTheEnd(expr: string, seen: readonly string[] = []): string[] {
  return metricNames(expr)
    .filter((name) => !seen.includes(name))
    .flatMap((name) => {
      const sources = recordings.filter(({ record }) => record === name);
      return sources.length === 0 ? [name] : sources.flatMap((each) => readInTheEnd(each.expr, [...seen, name]));
    });
}

describe("what alerts read", () => {
  it.each(alerts)("of $alert has an alert that tells of its absence", ({ expr }) => {
    for (const name of readInTheEnd(expr)) {
      const [, alert] = TOLD_BY.find(([names]) => names.test(name)) ?? [];
      expect(alert, name).toBeDefined();
      if (alert !== undefined && !alert.includes(" ")) {
        expect(alerts.map((each) => each.alert)).toContain(alert);
      }
    }
  });

  it("is expected of every target of an environment, by the job that Prometheus calls it", () => {
    expect(TARGETS.map(expectedOf)).toContainEqual({
      job: "observability/gateway-envoy",
      namespace: "inference-gateway",
    });
  });
});
