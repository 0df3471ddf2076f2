/** Why clouds make no machines, as far as their errors say it. */
import type { ClusterKind } from "../../planner/types";

/** None is free; the account may not have more; nobody offers one for so little. */
export type Shortage = "capacity" | "limit" | "price";

interface Cause {
  readonly said: RegExp;
  readonly shortage: Shortage;
}

/**
 * Oracle's codes: docs.oracle.com, API/References/apierrors; "Out of host capacity" is the text of a 500, alone or within a work request
 * of node pools. EC2's codes: docs.aws.amazon.com, AWSEC2/latest/APIReference/errors-overview, which node groups and groups of instances
 * repeat; EKS names a capacity that ran out in a health issue of the group. Read 2026-11-27.
 */
const CAUSES: Partial<Record<ClusterKind, readonly Cause[]>> = {
  oci: [
    { said: /out of (host )?capacity/i, shortage: "capacity" },
    { said: /LimitExceeded|QuotaExceeded|service limits? (was|were|is|are)? ?exceeded/i, shortage: "limit" },
  ],
  aws: [
    {
      said: /InsufficientInstanceCapacity|InsufficientHostCapacity|InsufficientReservedInstanceCapacity|ReservationCapacityExceeded|UnfulfillableCapacity|do not have sufficient [\w.]+ capacity/,
      shortage: "capacity",
    },
    {
      said: /VcpuLimitExceeded|InstanceLimitExceeded|MaxSpotInstanceCountExceeded|reached your quota/,
      shortage: "limit",
    },
    { said: /SpotMaxPriceTooLow/, shortage: "price" },
  ],
};

/** Undefined: it failed for another reason, or for one that the text does not tell. */
export function shortageOf(kind: ClusterKind, error: string): Shortage | undefined {
  return CAUSES[kind]?.find(({ said }) => said.test(error))?.shortage;
}
