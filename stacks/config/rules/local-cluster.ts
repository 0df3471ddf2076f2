import { localClusterTool } from "../../../catalog/local-clusters";
import { knownMachine, type Rule } from "../core/rule";
import { oneMachine } from "./one-machine";

/** k3d and kind create one node: a container with its engine's CPUs and memory, without GPUs. */
export const localClusterIsOneMachine: Rule = function* (context) {
  const { cluster, pools = {} } = context.sections;
  if (cluster?.kind !== "local" || cluster.provision !== "create") {
    return;
  }
  yield* oneMachine(context);
  for (const [name, pool] of Object.entries(pools)) {
    const path = ["pools", name];
    const machine = knownMachine(pool);
    if (machine?.gpu) {
      yield {
        path,
        value: machine.name,
        allowed: "a machine without GPUs: containers of a local cluster that is made here are given none",
        fix: "leave card and gpuCount out; for GPUs write provision: existing with a k3s of your own, or kind: edge",
      };
    } else if (pool.shape !== undefined) {
      yield {
        path: [...path, "shape"],
        value: pool.shape,
        allowed: "node, a machine of yours: a local cluster that is made here runs on the computer that deploys it",
        fix: "write node: {vcpus: …, memoryGiB: …} with what the container engine has",
      };
    }
    if (pool.labels !== undefined) {
      yield {
        path: [...path, "labels"],
        value: pool.labels,
        allowed: "none: labels are not supported on local clusters that this stack creates",
        fix: "remove labels: a local cluster has one pool",
      };
    }
  }
};

/** The tool supports the container engine. */
export const localToolKnowsTheEngine: Rule = function* ({ sections: { cluster } }) {
  const local = cluster?.kind === "local" ? cluster.local : undefined;
  if (local === undefined) {
    return;
  }
  const { engines } = localClusterTool(local.tool);
  if (!engines.includes(local.engine)) {
    yield {
      path: ["cluster", "local", "engine"],
      value: local.engine,
      allowed: `${engines.join(" or ")} with tool: ${local.tool}: its makers call others an experiment`,
      fix: `write engine: ${engines[0]}, or tool: kind`,
    };
  }
};
