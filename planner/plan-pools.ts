import type { Assignment } from "./assignment";
import { type BilledPool, HOURS_PER_MONTH } from "./cost";
import { poolFabric } from "./fabric";
import { fabricGateOf, UNCERTIFIED } from "./fabric-gate";
import { type NumaQuestion, numaPolicyOf, numaProblem } from "./numa";
import { companionItem, heldReplicas, type Placement } from "./placement";
import type { PlanRequest, PoolRequest } from "./request";
import type { Phase } from "./schedule/phases";
import { isCached } from "./storage";
import { poolTaints } from "./taints";
import type { CapacityProblem, PoolPlan } from "./types";

/**
 * Decisions and billing of each pool.
 *
 * @param phases of the schedules of all models.
 */
export function planPools(
  request: PlanRequest,
  placements: readonly Placement[],
  { packings, phaseNodes }: Assignment,
  phases: readonly Phase[],
): { plan: Omit<PoolPlan, "monthlyUsd" | "maxMonthlyUsd">; billed: BilledPool }[] {
  return request.pools.map((pool) => {
    const here = placements.filter((p) => p.candidate.pool === pool.name);
    const minNodes = Math.max(pool.minNodes, packings.get(pool.name)?.nodes ?? 0);
    const gpusPerNode = pool.shape.gpu?.count ?? 0;
    const fabric = poolFabric(pool);
    const fabricGate = fabricGateOf({ shape: pool.shape, fabric, minNodes });
    const numa = pool.nodesMadeHere ? numaPolicyOf(numaQuestion(pool, here)) : undefined;
    const scheduledNodeHours = hoursOfSchedules(phaseNodes.get(pool.name) ?? [], minNodes, phases);
    const notes = [pool.priceNote, uncountedHours(pool, minNodes)].filter((note) => note !== undefined);
    const billed = {
      name: pool.name,
      shape: pool.shape,
      nodes: minNodes,
      scheduledNodeHours,
      maxNodes: Math.max(minNodes, pool.maxNodes),
      usdPerNodeHour: pool.usdPerNodeHour,
      ...(notes.length > 0 && { priceNote: notes.join("; ") }),
    };
    return {
      billed,
      plan: {
        name: pool.name,
        role: pool.role,
        shape: pool.shape,
        minNodes,
        maxNodes: pool.maxNodes,
        usdPerNodeHour: pool.usdPerNodeHour,
        hourlyUsd: minNodes * pool.usdPerNodeHour,
        scheduledNodeHours,
        hoursPerDay: pool.hoursPerDay,
        selector: pool.selector,
        labels: pool.labels,
        taints: poolTaints(pool),
        startupTaints: fabricGate ? [UNCERTIFIED] : [],
        ...(fabric && { fabric }),
        ...(fabricGate && { fabricGate }),
        ...(pool.sharing && { sharing: pool.sharing }),
        localDisks: pool.localDisks ?? false,
        ...(here.some(({ model }) => isCached(model)) && { nodeCacheGiB: request.storage.nodeCacheGiB }),
        ...(numa && { numa }),
        confidential: pool.confidential ?? false,
        gpusClaimed: here.reduce(
          (sum, { model, candidate: { layout } }) =>
            sum + heldReplicas(model) * layout.gpusPerNode * layout.nodesPerReplica,
          0,
        ),
        gpusTotal: minNodes * gpusPerNode,
      },
    };
  });
}

/** Nodes are not stopped on a schedule here, so planned savings do not count. */
function uncountedHours({ hoursPerDay, usdPerNodeHour }: PoolRequest, minNodes: number): string | undefined {
  const stoppedUsd = minNodes * usdPerNodeHour * HOURS_PER_MONTH * (hoursPerDay / 24);
  return hoursPerDay < 24 && stoppedUsd > 0
    ? `${stoppedUsd.toFixed(2)} USD a month if you stop it after ${hoursPerDay} hours a day: nothing here does, and it is counted for 24`
    : undefined;
}

/** Hours beyond permanent nodes, in the month with most. */
function hoursOfSchedules(nodes: readonly number[], minNodes: number, phases: readonly Phase[]): number {
  const beyond = nodes.map((count) => Math.max(0, count - minNodes));
  const months = phases[0]?.shares ?? [];
  const byMonth = months.map((_, month) =>
    phases.reduce((sum, { shares }, i) => sum + (shares[month] ?? 0) * (beyond[i] ?? 0), 0),
  );
  return HOURS_PER_MONTH * Math.max(0, ...byMonth);
}

function numaQuestion({ shape, numa }: PoolRequest, here: readonly Placement[]): NumaQuestion {
  const companions = here.map(({ model }) => companionItem(model.engine)?.demand.cpu ?? 0);
  return {
    shape,
    ...(numa && { chosen: numa }),
    pods: here.map(({ model: { name }, candidate: { resources } }) => ({ name, ...resources })),
    besides: companions.reduce((sum, cpu) => sum + Math.floor(cpu), 0),
  };
}

/** Pods that no node of their pool admits under its NUMA policy. */
export function numaProblems({ pools }: PlanRequest, placements: readonly Placement[]): CapacityProblem[] {
  return pools.flatMap((pool) => {
    const here = placements.filter((p) => p.candidate.pool === pool.name);
    return (pool.nodesMadeHere ? numaProblem(pool.name, numaQuestion(pool, here)) : undefined) ?? [];
  });
}
