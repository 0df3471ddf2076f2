import { ComputeCluster } from "@pulumi/oci/core/computeCluster";
import type * as pulumi from "@pulumi/pulumi";
import type { OkeSettings } from "./settings";

type Compartment = Pick<OkeSettings, "compartmentId">;

/**
 * What lets node pools start machines in compute clusters: it must exist before the first of them. Source:
 * oracle-quickstart/oci-hpc-oke terraform/iam.tf at 61d210a, read 2026-11-23.
 */
export function computeClusterStatements(settings: Compartment): string[] {
  return [allowNodePools("{COMPUTE_CLUSTER_LAUNCH_INSTANCE}", settings)];
}

/**
 * What lets node pools take machines out of a reservation, which is to be in the cluster's compartment. Source: Oracle's
 * page "Using Capacity Reservations to Provision Managed Nodes", where it is of the whole tenancy; read 2026-11-23.
 */
export function capacityReservationStatements(settings: Compartment): string[] {
  return [allowNodePools("use compute-capacity-reservations", settings)];
}

function allowNodePools(what: string, { compartmentId }: Compartment): string {
  return `Allow any-user to ${what} in compartment id ${compartmentId} where ALL {request.principal.type='nodepool'}`;
}

/** The RDMA network of one pool: its machines are near each other, and reach nothing of other compute clusters. */
export function computeCluster(
  logicalName: string,
  { compartmentId }: Compartment,
  pool: string,
  availabilityDomain: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): ComputeCluster {
  return new ComputeCluster(logicalName, { compartmentId, availabilityDomain, displayName: pool }, opts);
}
