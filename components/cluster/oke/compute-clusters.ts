import { ComputeCluster } from "@pulumi/oci/core/computeCluster";
import type * as pulumi from "@pulumi/pulumi";
import type { OkePool, OkeSettings } from "./settings";
import { allow } from "./statements";
import { environmentTags } from "./tags";

type Compartment = Pick<OkeSettings, "compartmentId">;

/**
 * Extra permissions of node pools, required before the first of them.
 *
 * Compute clusters: oracle-quickstart/oci-hpc-oke terraform/iam.tf at 61d210a. Reservations must be
 * in the cluster's compartment: Oracle's page "Using Capacity Reservations to Provision Managed
 * Nodes", which grants the whole tenancy. Both read 2026-11-23.
 */
export function nodePoolStatements(
  { compartmentId }: Compartment,
  pools: readonly Pick<OkePool, "computeCluster" | "capacity">[],
): string[] {
  const mayDo = (what: string) => allow({ type: "nodepool" }, `${what} in compartment id ${compartmentId}`);
  return [
    ...(pools.some((pool) => pool.computeCluster) ? [mayDo("{COMPUTE_CLUSTER_LAUNCH_INSTANCE}")] : []),
    ...(pools.some(({ capacity }) => typeof capacity === "object") ? [mayDo("use compute-capacity-reservations")] : []),
  ];
}

/** RDMA network of one pool, isolated from other compute clusters. */
export function computeCluster(
  logicalName: string,
  settings: Compartment & Pick<OkeSettings, "environment">,
  pool: string,
  availabilityDomain: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): ComputeCluster {
  const { compartmentId } = settings;
  const args = { compartmentId, availabilityDomain, displayName: pool, freeformTags: environmentTags(settings) };
  return new ComputeCluster(logicalName, args, opts);
}
