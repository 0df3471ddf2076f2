import type { CapacityProblem, ClusterKind, PoolPlan } from "../planner/types";

/** A pool for the platform itself, in clouds. */
const SYSTEM_POOLS: Readonly<Partial<Record<ClusterKind, string>>> = {
  oci: "{shape: VM.Standard.A1.Flex, ocpus: 4, memoryGiB: 24, minNodes: 2}",
  aws: "{shape: m7i.2xlarge, minNodes: 2}",
};

/** In a cloud GPU nodes are tainted, by the cloud or as docs/environments asks; the platform's own pods tolerate none. */
export function platformPlaceProblems(
  kind: ClusterKind,
  pools: readonly Pick<PoolPlan, "name" | "shape">[],
): CapacityProblem[] {
  const example = SYSTEM_POOLS[kind];
  if (example === undefined || pools.some(({ shape }) => !shape.gpu)) {
    return [];
  }
  const names = pools.map(({ name }) => name).join(", ");
  return [
    {
      severity: "mandatory",
      rule: "platform-place",
      subject: "pools",
      message: `the platform itself has no place: every pool (${names}) has GPUs, GPU nodes are tainted, and gateway, model store and monitoring tolerate no taint. Add a pool without GPUs, for example system: ${example}.`,
    },
  ];
}
