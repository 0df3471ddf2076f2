import { compareReleases } from "../../../catalog/advisories";
import { firstNodeImage } from "../../../catalog/eks";
import { fabricGateOf } from "../../../planner/fabric-gate";
import { type GroupReason, groupReason } from "../../../planner/node-makers";
import { roleOf } from "../core/machines";
import type { ProblemDraft } from "../core/problems";
import { knownMachine, type Rule, type RuleContext } from "../core/rule";
import type { PoolConfig } from "../schema";
import { madePoolsOf } from "./made-pools";

const eksMadePools = (context: RuleContext) => madePoolsOf("aws", context);

/** Older images lack drivers for newer families. */
export const imagesHaveDrivers: Rule = function* (context) {
  const { cluster } = context.sections;
  const nodeImage = cluster?.kind === "aws" ? cluster.eks?.nodeImage : undefined;
  for (const [name, pool] of eksMadePools(context)) {
    const machine = knownMachine(pool);
    const first = machine && firstNodeImage(machine.name);
    if (nodeImage !== undefined && first !== undefined && compareReleases(nodeImage, first) < 0) {
      yield {
        path: ["cluster", "eks", "nodeImage"],
        value: nodeImage,
        allowed: `${first} or newer, with pools.${name}: older images have no driver for ${machine?.name}`,
        fix: `write ${first} or later, or remove nodeImage`,
      };
    }
  }
};

/** Nodes need subnets in their zones. */
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

/** Reserved machines are in one place, and EFA does not cross zones. */
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

/** Spot machines may stop any time, capacity blocks end on a day: permanent parts need neither. */
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

/** How messages name the reason for a managed group. */
const GROUPED_BY: Readonly<Record<GroupReason, string>> = {
  confidential: "confidential, which Karpenter cannot ask for",
  reserved: "a reservation or capacity block, which is paid for whether its machines run or not",
  tried: "EFA that is tried first, two nodes by two",
  sharing: "sharing, for Karpenter makes no node for a pod that asks for a part of a GPU",
};

/** Karpenter scales its nodes; managed groups are not scaled. */
export const groupsHaveOneSize: Rule = function* (context) {
  for (const [name, pool] of eksMadePools(context)) {
    const { minNodes, maxNodes } = pool;
    const why = groupedBy(pool);
    if (why !== undefined && minNodes !== maxNodes) {
      const size = Math.max(1, minNodes);
      yield {
        path: ["pools", name, "maxNodes"],
        value: maxNodes,
        allowed: `the same as minNodes (${minNodes}), with ${GROUPED_BY[why]}: such nodes are of a managed group that nothing scales`,
        fix: `write minNodes: ${size} and maxNodes: ${size}`,
      };
    }
  }
};

/** As in the plan (stacks/eks-pools.ts). */
function groupedBy(pool: PoolConfig): GroupReason | undefined {
  const { confidential, sharing, capacity } = pool;
  return groupReason({ confidential, sharing, fabricGate: gateOf(pool) }, typeof capacity === "object");
}

function gateOf(pool: PoolConfig): object | undefined {
  const shape = knownMachine(pool);
  return shape && pool.rdma?.access === "efa"
    ? fabricGateOf({ shape, fabric: {}, minNodes: pool.minNodes })
    : undefined;
}

/** Karpenter and DNS need a node before Karpenter runs. */
export const platformHasNodesFromTheStart: Rule = function* (context) {
  const system = eksMadePools(context).filter(([, pool]) => {
    const machine = knownMachine(pool);
    return machine !== undefined && roleOf(pool, machine) === "system";
  });
  const [first] = system;
  if (first !== undefined && system.every(([, { minNodes }]) => minNodes === 0)) {
    yield {
      path: ["pools", first[0], "minNodes"],
      value: 0,
      allowed: "at least 1 in a pool of role system: Karpenter itself runs there, and makes no node before it runs",
      fix: "write minNodes: 2, or 1 where the platform may be away for a while",
    };
  }
};

/** Placement groups are for EFA nodes and named machines. */
export const placementGroupsHoldTheirMachines: Rule = function* (context) {
  for (const [name, pool] of eksMadePools(context)) {
    const { capacity, rdma } = pool;
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
    } else if (groupedBy(pool) === undefined) {
      const size = Math.max(2, pool.maxNodes);
      const canBeTried = gateOf({ ...pool, minNodes: size }) !== undefined;
      yield {
        path,
        value: true,
        allowed:
          "only with a managed node group. Karpenter creates this pool's nodes: it starts with fewer than two, or no EFA figure is published for its machines",
        fix: `remove placementGroup${canBeTried ? `, or write minNodes: ${size} and maxNodes: ${size}` : ""}`,
      };
    }
  }
};

/** Of the provisioned network. */
function zonesOf({ sections: { cluster } }: RuleContext): readonly string[] {
  return cluster?.kind === "aws" ? (cluster.eks?.zones ?? []) : [];
}
