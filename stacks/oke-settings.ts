import { type ImageMirror, registryPorts } from "../catalog/image-mirror";
import { type GatewayService, okeLoadBalancers } from "../components/cluster/oke/gateway-clients";
import type { OkeSettings } from "../components/cluster/oke/settings";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig } from "./config";
import { okeAddresses } from "./config/core/oke-addresses";

/** Other inputs of the cluster's network. */
export interface OkeSurroundings {
  readonly gateway: GatewayService;
  readonly images: ImageMirror;
}

/** Undefined without a provisioned cluster. */
export function okeSettings(
  { provision, oke, privateCidrs }: ClusterConfig<"oci">,
  { environment, stage }: Pick<DeploymentPlan, "environment" | "stage">,
  { gateway, images }: OkeSurroundings,
): OkeSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  if (oke === undefined) {
    throw new Error("provision: create without oke: validation should have refused it");
  }
  const network = okeAddresses(oke.network);
  if (network === undefined) {
    throw new Error("no room for the subnets: validation should have refused it");
  }
  const { homeRegion = oke.region, encryptionKeyId, encryptionKeyCompartmentId, ...said } = oke;
  return {
    ...said,
    environment,
    network,
    rdmaCidr: oke.network.rdma,
    loadBalancers: okeLoadBalancers(gateway, privateCidrs),
    registryPorts: registryPorts(images),
    homeRegion,
    encryptionKeyId,
    encryptionKeyCompartmentId,
    protect: stage === "production",
  };
}
