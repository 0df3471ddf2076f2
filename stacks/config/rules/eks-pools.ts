import type { MachineShape } from "../../../catalog/shapes";
import { fabricGateOf } from "../../../planner/fabric-gate";
import { roleOf } from "../core/machines";
import type { ProblemDraft } from "../core/problems";
import { knownMachine, type Rule, type RuleContext } from "../core/rule";
import type { PoolConfig } from "../schema";
import { madePoolsOf } from "./made-pools";

const eksMadePools = (context: RuleContext) => madePoolsOf("aws", context);

/** Nodes are where the network has subnets. */
export const zonesAreOfTheNetwork: Rule = function* (context) {
  const own = zonesOf(context);
  for (const [name, { zones = [] }] of eksMadePools(context)) {
    for (const [index, zone] of zones.entries()) {
      const isTwice = zones.indexOf(zone) !== index;
      if (isTwice || (own.length > 0 && !own.includes(zone))) {
        yield {
          path: ["pools", name, "zones", index],
          value: zone,
          allowed: isTwice ? "each zone once" : `zones of the cluster's network: ${own.join(", ")}`,
          fix: isTwice ? "remove it" : `write one of them, or add ${zone} to cluster.eks.zones`,
        };
      }
    }
  }
};

/** Reserved machines stand in one place, and EFA reaches no other zone. */
export const scarceMachinesHaveOneZone: Rule = function* (context) {
  const own = zonesOf(context);
  for (const [name, pool] of eksMadePools(context)) {
    const why = ofOneZone(pool);
    if (why !== undefined && (pool.zones ?? own).length !== 1) {
      yield {
        path: ["pools", name, "zones"],
        value: pool.zones,
        allowed: `exactly one availability zone, ${why}`,
        fix: `write the zone of the machines, such as zones: [${pool.zones?.[0] ?? own[0] ?? "us-east-1a"}], or make a pool for each`,
      };
    }
  }
};

function ofOneZone({ capacity, rdma }: PoolConfig): string | undefined {
  if (typeof capacity === "object") {
    return "capacityBlock" in capacity
      ? "with a capacity block: its machines are in one"
      : "with a reservation: its machines are in one";
  }
  return rdma?.access === "efa" ? "with rdma.access: efa: nodes of other zones are not reached by it" : undefined;
}

/** Spot machines go at any time, and a block's on a day; what must stay stands on neither. */
export const eksCapacityFitsThePool: Rule = function* (context) {
  for (const [name, pool] of eksMadePools(context)) {
    const { capacity, rdma } = pool;
    const machine = knownMachine(pool);
    if (machine === undefined || capacity === undefined || capacity === "on-demand") {
      continue;
    }
    const problem = (allowed: string): ProblemDraft => ({
      path: ["pools", name, "capacity"],
      value: capacity,
      allowed,
      fix: "remove capacity here; take it for a pool of models",
    });
    const isBlock = typeof capacity === "object" && "capacityBlock" in capacity;
    if (roleOf(pool, machine) === "system" && (capacity === "spot" || isBlock)) {
      yield problem(
        `on-demand or a reservation: gateway, model store, monitoring and what makes nodes run here, and ${isBlock ? "a capacity block ends" : "spot machines may go at any time"}`,
      );
    } else if (capacity === "spot" && rdma?.access === "efa") {
      yield {
        ...problem(
          "on-demand, a reservation or a capacity block, with EFA: a replica that spans nodes goes with each of them",
        ),
        fix: "remove capacity, or remove rdma for replicas of one node each",
      };
    }
  }
};

/** Karpenter scales what it makes. Nodes of reservations, and those that are tried two by two, are a managed group's. */
export const groupsHaveOneSize: Rule = function* (context) {
  for (const [name, pool] of eksMadePools(context)) {
    const { minNodes, maxNodes, capacity, rdma } = pool;
    const machine = knownMachine(pool);
    const isTried = machine !== undefined && rdma?.access === "efa" && isGated(machine, minNodes);
    const why = pool.confidential ? "confidential" : ofGroup(capacity, isTried);
    if (why !== undefined && minNodes !== maxNodes) {
      const size = Math.max(1, minNodes);
      yield {
        path: ["pools", name, "maxNodes"],
        value: maxNodes,
        allowed: `the same as minNodes (${minNodes}), with ${why}: such nodes are of a managed group that nothing scales`,
        fix: `write minNodes: ${size} and maxNodes: ${size}`,
      };
    }
  }
};

function ofGroup(capacity: PoolConfig["capacity"], isTried: boolean): string | undefined {
  if (typeof capacity === "object") {
    return "a reservation or capacity block";
  }
  return isTried ? "EFA that is tried first" : undefined;
}

function isGated(shape: MachineShape, minNodes: number): boolean {
  return fabricGateOf({ shape, fabric: {}, minNodes }) !== undefined;
}

/** A placement group is of EFA nodes, and of machines that it was asked for. */
export const placementGroupsHoldTheirMachines: Rule = function* (context) {
  for (const [name, { capacity, rdma }] of eksMadePools(context)) {
    if (rdma?.placementGroup !== true) {
      continue;
    }
    const path = ["pools", name, "rdma", "placementGroup"];
    if (rdma.access !== "efa") {
      yield {
        path,
        value: true,
        allowed: "only with rdma.access: efa: TCP gains little by it, and it makes machines harder to get",
        fix: "add access: efa, or remove placementGroup",
      };
    } else if (typeof capacity === "object") {
      yield {
        path,
        value: true,
        allowed:
          "not with machines that are reserved already: they are where they are, and EC2 finds no capacity for them in a new group",
        fix: "remove placementGroup",
      };
    }
  }
};

/** Zones of the network that is made. */
function zonesOf({ sections: { cluster } }: RuleContext): readonly string[] {
  return cluster?.kind === "aws" ? (cluster.eks?.zones ?? []) : [];
}
