import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import type { ScrapeTarget } from "./targets";

export interface MonitorsArgs {
  /**
   * Namespace of the monitors, apart from their targets: whoever deploys a model needs no right on monitoring,
   * and a target's namespace may come later.
   */
  readonly namespace: pulumi.Input<string>;
  readonly targets: readonly ScrapeTarget[];
}

/** One PodMonitor for each target. */
export class Monitors extends PlatformComponent {
  constructor(name: string, args: MonitorsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("observability:Monitors", name, opts);
    for (const target of args.targets) {
      this.monitor(target, args.namespace);
    }
    this.registerOutputs();
  }

  private monitor(target: ScrapeTarget, namespace: pulumi.Input<string>): void {
    customResource<IPodMonitor>(
      this.child(target.name),
      {
        apiVersion: "monitoring.coreos.com/v1",
        kind: "PodMonitor",
        name: target.name,
        namespace,
        labels: standardLabels("monitor", target.name),
        spec: {
          selector: { matchLabels: { ...target.podLabels } },
          namespaceSelector: { matchNames: [target.namespace] },
          podMetricsEndpoints: [
            {
              portNumber: target.port,
              path: target.path,
              interval: "15s",
              scrapeTimeout: "10s",
              relabelings: relabelings(target),
            },
          ],
        },
      },
      this.childOptions(),
    );
  }
}

function relabelings({ labels = {} }: ScrapeTarget) {
  return [
    { action: "replace" as const, sourceLabels: ["__meta_kubernetes_pod_node_name"], targetLabel: "node" },
    ...Object.entries(labels).map(([targetLabel, replacement]) => ({
      action: "replace" as const,
      targetLabel,
      replacement,
    })),
  ];
}
