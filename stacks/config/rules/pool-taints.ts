import { roleOf } from "../core/machines";
import { knownMachine, type Rule } from "../core/rule";

/** Provisioned nodes have the plan's taints; platform pods tolerate none. */
export const taintsAreOfNodesThatExist: Rule = function* ({ sections: { cluster, pools = {} } }) {
  for (const [name, pool] of Object.entries(pools)) {
    const { taints = [] } = pool;
    const path = ["pools", name, "taints"];
    const machine = knownMachine(pool);
    const keptAway = taints.find(({ effect }) => effect !== "PreferNoSchedule");
    if (taints.length > 0 && cluster !== undefined && cluster.provision !== "existing") {
      yield {
        path,
        value: taints,
        allowed: "only for nodes that exist: those that are made here have the taints of the plan",
        fix: "remove taints",
      };
    } else if (keptAway !== undefined && machine && roleOf(pool, machine) === "system") {
      yield {
        path,
        value: taints,
        allowed: "only for nodes of models: what the platform runs on system nodes tolerates no taint",
        fix: `remove taints here, and from the nodes: kubectl taint nodes <node> ${keptAway.key}-; or write role: cpu, if only models run on them`,
      };
    }
  }
};
