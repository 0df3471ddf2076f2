import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";

/**
 * Who keeps running when a node is too full: what every request passes through, then models, then the rest
 * of the platform. Values stay below Kubernetes' own system classes (2 × 10⁹).
 */
export const PRIORITY = {
  platform: {
    name: "inference-platform",
    value: 900_000,
    description: "Model store, gateway and what models need to start",
  },
  serving: { name: "inference-serving", value: 800_000, description: "Models that answer requests" },
  batch: { name: "inference-batch", value: 100_000, description: "Downloads and other jobs that can run again" },
} as const;

/** The priority classes of the platform: cluster-wide, so one set per cluster. */
export function priorityClasses(name: string, opts: OptionsOfGone): pulumi.Resource[] {
  const options = { ...opts, aliases: childrenOfGone("core:PriorityClasses", name, opts) };
  return Object.entries(PRIORITY).map(
    ([suffix, { name: className, value, description }]) =>
      new kubernetes.scheduling.v1.PriorityClass(
        `${name}-${suffix}`,
        {
          metadata: { name: className, labels: standardLabels("priority", className) },
          value,
          description,
          globalDefault: false,
        },
        options,
      ),
  );
}
