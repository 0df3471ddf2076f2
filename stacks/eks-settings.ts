import type { EksSettings } from "../components/cluster/eks/settings";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig } from "./config";
import { eksAddresses } from "./config/core/eks-addresses";

/** Undefined without a provisioned cluster. */
export function eksSettings(
  { provision, eks }: ClusterConfig<"aws">,
  { environment, stage }: Pick<DeploymentPlan, "environment" | "stage">,
): EksSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  if (eks === undefined) {
    throw new Error("provision: create without eks: validation should have refused it");
  }
  const subnets = eksAddresses(eks.network.vpc, eks.zones);
  if (subnets === undefined) {
    throw new Error("no room for the subnets: validation should have refused it");
  }
  const { accountId, encryptionKeyArn, ...said } = eks;
  return {
    ...said,
    environment,
    accountId,
    encryptionKeyArn,
    network: { ...eks.network, subnets },
    protect: stage === "production",
  };
}
