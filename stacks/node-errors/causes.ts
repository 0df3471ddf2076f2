/** Causes of missing machines in clouds' errors. */
import type { ClusterKind } from "../../planner/types";

/** None free; account limit; price too low. */
export type Shortage = "capacity" | "limit" | "price";

interface Cause {
  readonly said: RegExp;
  readonly shortage: Shortage;
}

/**
 * Oracle's codes: docs.oracle.com, API/References/apierrors; "Out of host capacity" is the text of
 * a 500, alone or in a node pool's work request. EC2's codes: docs.aws.amazon.com,
 * AWSEC2/latest/APIReference/errors-overview, repeated by node groups and groups of instances; EKS
 * reports exhausted capacity in a health issue of the group. Read 2026-11-27.
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

/** Undefined for other or unknown causes. */
export function shortageOf(kind: ClusterKind, error: string): Shortage | undefined {
  return CAUSES[kind]?.find(({ said }) => said.test(error))?.shortage;
}
