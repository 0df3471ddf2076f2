import { gfxOfOverride, HSA_OVERRIDE } from "../../catalog/gfx";
import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Cluster-wide override that the catalogue has per card: redundant at best. */
export function gpuOverrides({
  environment: { cluster },
  plan: { pools },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
  readonly plan: Pick<DeploymentPlan, "pools">;
}): CapacityProblem[] {
  const written = "gpuDevices" in cluster ? cluster.gpuDevices?.environment[HSA_OVERRIDE] : undefined;
  const ofAmd = pools.flatMap(({ name, shape: { gpu } }) => (gpu?.vendor === "amd" ? [{ name, gpu }] : []));
  if (written === undefined || ofAmd.length === 0) {
    return [];
  }
  const others = ofAmd.filter(({ gpu }) => gpu.support?.hsaOverride !== written);
  const message =
    others.length === 0
      ? `says what the catalogue says of ${list(ofAmd.map(({ gpu }) => gpu.model))}: pods get it by themselves. Remove it.`
      : `${JSON.stringify(written)} counts before what the catalogue says, for every card of the cluster: ${others
          .map(
            ({ name, gpu }) => `${gpu.model} (pools.${name}) ${needOf(gpu.support?.hsaOverride, gpu.abilities?.gfx)}`,
          )
          .join(
            "; ",
          )}. It runs there as ${gfxOfOverride(written) ?? "something that no tool knows"}. Remove it, unless you know better.`;
  return [
    {
      severity: "advisory",
      rule: "gpu-override",
      subject: `cluster.gpuDevices.environment.${HSA_OVERRIDE}`,
      message,
    },
  ];
}

function needOf(override: string | undefined, gfx: string | undefined): string {
  return override === undefined ? `needs none: images have code for ${gfx}, or nothing helps` : `needs ${override}`;
}

function list(names: readonly string[]): string {
  return [...new Set(names)].join(", ");
}
