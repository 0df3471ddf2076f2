import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";

/**
 * Who keeps running when a node is too full: what every request passes through, and what tells of it; then models; then what can run again,
 * which waits for room and preempts nothing. Pods of charts too (policies/rules/chart-priorities.ts): without a class they stand at 0, below
 * downloads. Values stay below Kubernetes' own system classes (2 × 10⁹).
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
 * Of pods that keep room, where there are any: whatever may take a place takes theirs, and they take nobody's. Not below -10: from there on
 * the cluster autoscaler makes no nodes (kubernetes/autoscaler, cluster-autoscaler FAQ, `--expendable-pods-priority-cutoff`).
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
  /** @default its pods take the place of lower ones */
  readonly preemptionPolicy?: "Never";
}

/** The priority classes of the platform: cluster-wide, so one set per cluster. */
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
    // Kubernetes changes neither in place, and two classes of one name cannot be at the same time. Pods keep the number that they started with.
    pulumi.mergeOptions(opts, { deleteBeforeReplace: true, replaceOnChanges: ["value", "preemptionPolicy"] }),
  );
}
