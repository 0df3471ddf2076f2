import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";

/**
 * Priorities on full nodes: request path and monitoring, then models, then repeatable work, which
 * never preempts. Includes chart pods (policies/rules/chart-priorities.ts): without a class they
 * have priority 0, below downloads. Below Kubernetes' system classes (2 × 10⁹).
 */
export const PRIORITY = {
  platform: {
    name: "inference-platform",
    value: 900_000,
    description: "Model store, gateway, controllers, monitoring and what models need to start",
  },
  serving: { name: "inference-serving", value: 800_000, description: "Models that answer requests" },
  batch: {
    name: "inference-batch",
    value: 100_000,
    description: "Downloads and other jobs that can run again: they wait for room",
    preemptionPolicy: "Never",
  },
} as const satisfies Readonly<Record<string, PriorityLevel>>;

/**
 * Priority of spare capacity pods: any pod preempts them, they preempt none. Not below -10, where
 * the cluster autoscaler adds no nodes (kubernetes/autoscaler, cluster-autoscaler FAQ,
 * `--expendable-pods-priority-cutoff`).
 */
export const SPARE_PRIORITY: PriorityLevel = {
  name: "inference-spare",
  value: -1,
  description: "Pods that keep room for replicas of models",
  preemptionPolicy: "Never",
};

interface PriorityLevel {
  readonly name: string;
  readonly value: number;
  readonly description: string;
  /** @default preempts lower priorities */
  readonly preemptionPolicy?: "Never";
}

/** Cluster-wide priority classes, one set per cluster. */
export function priorityClasses(name: string, opts: OptionsOfGone): pulumi.Resource[] {
  const options = { ...opts, aliases: childrenOfGone("core:PriorityClasses", name, opts) };
  return Object.entries<PriorityLevel>(PRIORITY).map(([suffix, level]) =>
    priorityClass(`${name}-${suffix}`, level, options),
  );
}

export function priorityClass(
  logicalName: string,
  { name, ...level }: PriorityLevel,
  opts: pulumi.CustomResourceOptions,
): kubernetes.scheduling.v1.PriorityClass {
  return new kubernetes.scheduling.v1.PriorityClass(
    logicalName,
    { metadata: { name, labels: standardLabels("priority", name) }, ...level, globalDefault: false },
    // Both fields are immutable, and names are unique: delete before replacing. Running pods keep
    // their value.
    pulumi.mergeOptions(opts, { deleteBeforeReplace: true, replaceOnChanges: ["value", "preemptionPolicy"] }),
  );
}
