import type { OkeSettings } from "../components/cluster/oke/settings";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig } from "./config";

/** What the section says of the cluster that it makes. Undefined where it makes none. */
export function okeSettings(
  { provision, oke }: ClusterConfig<"oci">,
  { environment, stage }: Pick<DeploymentPlan, "environment" | "stage">,
): OkeSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  if (oke === undefined) {
    throw new Error("provision: create without oke: validation should have refused it");
  }
  const { homeRegion = oke.region, encryptionKeyId, encryptionKeyCompartmentId, ...said } = oke;
  return {
    ...said,
    environment,
    homeRegion,
    encryptionKeyId,
    encryptionKeyCompartmentId,
    protect: stage === "production",
  };
}
