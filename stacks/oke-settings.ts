import type { OkeSettings } from "../components/cluster/oke/settings";
import type { Stage } from "../planner/types";
import type { ClusterConfig } from "./config";

/** What the section says of the cluster that it makes. Undefined where it makes none. */
export function okeSettings({ provision, oke }: ClusterConfig<"oci">, stage: Stage): OkeSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  if (oke === undefined) {
    throw new Error("provision: create without oke: validation should have refused it");
  }
  const { homeRegion = oke.region, encryptionKeyId, ...said } = oke;
  return { ...said, homeRegion, encryptionKeyId, protect: stage === "production" };
}
