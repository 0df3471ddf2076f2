import { engineOf } from "../../engines";
import { counted } from "../../names/counted";
import { requestTimes } from "../../planner/request-times";
import { hostsOf } from "../../planner/shared-servers";
import type { CapacityProblem } from "../../planner/types";
import type { Advised } from "./advice";

/** Single replicas without room for a second: every change interrupts them. */
export function interruptedModels({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return hostsOf(plan.models)
    .filter(({ engine, minReplicas, resources }) => {
      return engineOf(engine).replacesBeside === undefined && minReplicas === 1 && resources.gpus > 0;
    })
    .map((model) => {
      const pool = plan.pools.find(({ name }) => name === model.pool);
      const room = pool && roomFor(pool, model.gpusPerNode * model.nodesPerReplica);
      const grown = room && !room.isThere ? ` with pools.${model.pool}.maxNodes: ${room.maxNodes}` : "";
      return {
        severity: "advisory",
        rule: "interrupted-by-changes",
        subject: `models.${model.name}`,
        message: `a change of ${model.name} interrupts it for up to ${minutes(model.startupBudgetSeconds)}, once what runs there has ended (up to ${minutes(model.drainSeconds)}): its one replica is replaced in place, for no GPU is kept free for a second one. replicas: {min: 2}${grown} serves meanwhile.`,
      };
    });
}

/** Changes that need as many GPUs again, and hang where the pool lacks them. */
export function changesBeside({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return hostsOf(plan.models).flatMap((model): CapacityProblem[] => {
    const { name, engine, minReplicas, gpusPerNode, nodesPerReplica } = model;
    const { replacesBeside } = engineOf(engine);
    const pool = plan.pools.find((each) => each.name === model.pool);
    const needed = minReplicas * gpusPerNode * nodesPerReplica;
    if (replacesBeside === undefined || pool === undefined || needed === 0) {
      return [];
    }
    const { free, mostNodes, isThere, maxNodes } = roomFor(pool, needed);
    const begins = `a change of ${name} takes ${counted(needed, "GPU")} more until it is done: ${replacesBeside} starts all replicas next to those that run`;
    return [
      {
        severity: "advisory",
        rule: "changes-need-room",
        subject: `models.${name}`,
        message: isThere
          ? `${begins}. Pool ${pool.name} has them on its at most ${counted(mostNodes, "node")}.`
          : `${begins}, and pool ${pool.name} has ${free} on its at most ${counted(mostNodes, "node")}: no change of it ever ends, and the old replicas go on. Write pools.${pool.name}.maxNodes: ${maxNodes}, or take an engine whose replicas are replaced in place.`,
      },
    ];
  });
}

/** GPUs that a pool has for more pods, and the nodes with which it would have enough. */
function roomFor(
  { shape, minNodes, maxNodes, gpusClaimed }: Advised["plan"]["pools"][number],
  needed: number,
): { readonly free: number; readonly mostNodes: number; readonly isThere: boolean; readonly maxNodes: number } {
  const perNode = shape.gpu?.count ?? 0;
  const mostNodes = Math.max(minNodes, maxNodes);
  const free = mostNodes * perNode - gpusClaimed;
  return {
    free,
    mostNodes,
    isThere: needed <= free,
    maxNodes: Math.ceil((gpusClaimed + needed) / Math.max(1, perNode)),
  };
}

/** Models with one head pod: without it they answer for a while, then stop. */
export function singleHeads({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return hostsOf(plan.models)
    .filter(({ engine }) => engineOf(engine).companion !== undefined)
    .map(({ name, engine, startupBudgetSeconds }) => ({
      severity: "advisory",
      rule: "single-head",
      subject: `models.${name}`,
      message: `one pod keeps the replicas of ${name} together (the head of ${engineOf(engine).label}): while it is away they answer for up to an hour, and none that fails comes back. Where the next one does not take them over, and where the volume of its state is lost, none of them answers for up to ${minutes(startupBudgetSeconds)}, until all are made anew. An engine whose replicas know nothing of each other has no such pod.`,
    }));
}

/** Replicas over several nodes: losing one node loses the replica, without a spare. */
export function replicasOverNodes({ plan }: Pick<Advised, "plan">): CapacityProblem[] {
  return hostsOf(plan.models)
    .filter(({ nodesPerReplica }) => nodesPerReplica > 1)
    .map(({ name, nodesPerReplica, minReplicas, startupBudgetSeconds }) => ({
      severity: "advisory",
      rule: "replica-over-nodes",
      subject: `models.${name}`,
      message: `each replica of ${name} needs its ${nodesPerReplica} nodes at once: where one is lost, cut off or stops, the replica is noticed within 1 min, ended within another 30 s and away for up to ${minutes(startupBudgetSeconds)} more, while ${minReplicas > 1 ? "the others answer" : "none answers"}. A machine that is lost keeps it away until its node is deleted or out of service (docs/operations.md, "When a node is lost").`,
    }));
}

/** Requests that a stopping node or proxy may cut, because draining is shorter. */
export function cutRequests({ environment }: Pick<Advised, "environment">): CapacityProblem[] {
  const { requestTimeoutSeconds, drainSeconds } = requestTimes(environment.gateway);
  return drainSeconds >= requestTimeoutSeconds
    ? []
    : [
        {
          severity: "advisory",
          rule: "cut-requests",
          subject: "gateway.drainSeconds",
          message: `an answer may take ${minutes(requestTimeoutSeconds)}, but who leaves waits ${minutes(drainSeconds)}: longer ones are cut in the middle by every update and node drain. Remove drainSeconds, or lower requestTimeoutSeconds to ${drainSeconds}.`,
        },
      ];
}

function minutes(seconds: number): string {
  return `${Math.ceil(seconds / 60)} min`;
}
