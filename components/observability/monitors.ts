import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, standardLabels } from "../../names/labels";
import { SCRAPE_SECONDS } from "../../planner/scaling";
import { customResource } from "../core/custom-resource";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import type { ScrapeTarget } from "./targets";

export interface MonitorsArgs {
  /**
   * Apart from the targets: deploying a model needs no right on monitoring, and target namespaces
   * may come later.
   */
  readonly namespace: pulumi.Input<string>;
  readonly targets: readonly ScrapeTarget[];
  /** Labels by which the operator selects monitors. @default none */
  readonly labels?: Labels | undefined;
}

export function monitors(name: string, { namespace, targets, labels }: MonitorsArgs, opts: OptionsOfGone): void {
  const options = { ...opts, aliases: childrenOfGone("observability:Monitors", name, opts) };
  const shared = new Map<string, [ScrapeTarget, ...ScrapeTarget[]]>();
  for (const target of targets) {
    const monitor = target.monitor?.name ?? target.name;
    const others = shared.get(monitor);
    if (others) {
      others.push(target);
    } else {
      shared.set(monitor, [target]);
    }
  }
  for (const [monitor, alike] of shared) {
    customResource<IPodMonitor>(
      `${name}-${monitor}`,
      {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PodMonitor",
        name: monitor,
        namespace,
        labels: standardLabels("monitor", monitor, labels),
        spec: podMonitorSpec(alike),
      },
      options,
    );
  }
}

function podMonitorSpec(targets: readonly [ScrapeTarget, ...ScrapeTarget[]]): NonNullable<IPodMonitor["spec"]> {
  const [target] = targets;
  return {
    selector: { matchLabels: { ...(target.monitor?.podLabels ?? target.podLabels) } },
    namespaceSelector: { matchNames: targets.map((each) => each.namespace) },
    podMetricsEndpoints: [
      {
        portNumber: target.port,
        path: target.path,
        interval: `${SCRAPE_SECONDS}s`,
        scrapeTimeout: "10s",
        relabelings: relabelings(target),
        ...metricRelabelings(target),
      },
    ],
  };
}

function relabelings({ labels = {}, monitor }: ScrapeTarget) {
  const read = { node: "__meta_kubernetes_pod_node_name", ...discovered(monitor?.labelsOfPods ?? {}) };
  return [
    ...Object.entries(read).map(([targetLabel, source]) => ({
      action: "replace" as const,
      sourceLabels: [source],
      targetLabel,
    })),
    ...Object.entries(labels).map(([targetLabel, replacement]) => ({
      action: "replace" as const,
      targetLabel,
      replacement,
    })),
  ];
}

function metricRelabelings({ renamed, droppedWith }: ScrapeTarget) {
  const dropped = droppedWith ? [{ action: "drop" as const, sourceLabels: [droppedWith], regex: ".+" }] : [];
  const all = [...(renamed ? renamings(renamed) : []), ...dropped];
  return all.length > 0 ? { metricRelabelings: all } : {};
}

function renamings({ label, values }: NonNullable<ScrapeTarget["renamed"]>) {
  return Object.entries(values).flatMap(([value, labels]) =>
    Object.entries(labels).map(([targetLabel, replacement]) => ({
      action: "replace" as const,
      sourceLabels: [label],
      // Anchored by Prometheus.
      regex: value,
      targetLabel,
      replacement,
    })),
  );
}

/** `inference-stacks.io/model` becomes `…_pod_label_inference_stacks_io_model`. */
function discovered(podLabels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(podLabels).map(([label, podLabel]) => [
      label,
      `__meta_kubernetes_pod_label_${podLabel.replace(/[^a-zA-Z0-9_]/g, "_")}`,
    ]),
  );
}
