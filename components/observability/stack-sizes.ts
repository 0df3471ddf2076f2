import { NODE_AGENTS } from "../../planner/node-agents";
import { burstable, type ContainerResources } from "../core/resources";

/** `light` for development and single nodes, `full` for clusters that people are paged for. */
export type ObservabilityProfile = "light" | "full";

export interface StackSize {
  /** Each scrapes everything: two survive the loss of a node. */
  readonly prometheusReplicas: number;
  readonly alertmanagerReplicas: number;
  readonly scrapeInterval: string;
  readonly prometheus: ContainerResources;
  readonly grafana: ContainerResources;
  readonly kubeStateMetrics: ContainerResources;
  /** Operator, Alertmanager, node-exporter, sidecars, config reloaders and hook Jobs. */
  readonly helper: ContainerResources;
}

const helper = burstable(NODE_AGENTS.nodeExporter, { cpu: 0.5, memoryGiB: 0.25, ephemeralStorageGiB: 0.5 });

/**
 * Our figures: about 8 KiB of memory per active series; `light` holds some 150,000, `full` 700,000.
 */
export const STACK_SIZES: Readonly<Record<ObservabilityProfile, StackSize>> = {
  light: {
    prometheusReplicas: 1,
    alertmanagerReplicas: 1,
    scrapeInterval: "60s",
    prometheus: burstable(
      { cpu: 0.1, memoryGiB: 0.5, ephemeralStorageGiB: 0.25 },
      { cpu: 1, memoryGiB: 2, ephemeralStorageGiB: 1 },
    ),
    grafana: burstable(
      { cpu: 0.05, memoryGiB: 0.25, ephemeralStorageGiB: 0.25 },
      { cpu: 0.5, memoryGiB: 0.5, ephemeralStorageGiB: 1 },
    ),
    kubeStateMetrics: burstable(
      { cpu: 0.02, memoryGiB: 0.0625, ephemeralStorageGiB: 0.0625 },
      { cpu: 0.5, memoryGiB: 0.25 },
    ),
    helper,
  },
  full: {
    prometheusReplicas: 2,
    alertmanagerReplicas: 3,
    scrapeInterval: "30s",
    prometheus: burstable(
      { cpu: 1, memoryGiB: 4, ephemeralStorageGiB: 0.5 },
      { cpu: 4, memoryGiB: 8, ephemeralStorageGiB: 2 },
    ),
    grafana: burstable(
      { cpu: 0.2, memoryGiB: 0.5, ephemeralStorageGiB: 0.5 },
      { cpu: 1, memoryGiB: 1, ephemeralStorageGiB: 2 },
    ),
    kubeStateMetrics: burstable({ cpu: 0.1, memoryGiB: 0.25, ephemeralStorageGiB: 0.0625 }, { cpu: 1, memoryGiB: 1 }),
    helper,
  },
};
