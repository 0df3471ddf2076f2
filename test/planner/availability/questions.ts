import fc from "fast-check";
import { uptimeOf } from "../../../catalog/uptime";
import { PROMISES } from "../../../planner/availability/promises";
import type { SpreadQuestion } from "../../../planner/availability/spread";

export const anyQuestion: fc.Arbitrary<SpreadQuestion> = fc
  .record({
    promised: fc.constantFrom(...PROMISES),
    replicas: fc.integer({ min: 1, max: 6 }),
    needed: fc.integer({ min: 1, max: 6 }),
    nodesPerReplica: fc.constantFrom(1, 1, 2),
    mostOnNode: fc.integer({ min: 1, max: 8 }),
    maxNodes: fc.constantFrom(1, 8),
    zones: fc.integer({ min: 1, max: 4 }),
    hasHead: fc.boolean(),
    provider: fc.constantFrom("aws" as const, "oci" as const, "onprem" as const),
  })
  .map(({ provider, ...rest }) => ({
    ...rest,
    needed: Math.min(rest.needed, rest.replicas),
    uptime: uptimeOf(provider),
  }));
