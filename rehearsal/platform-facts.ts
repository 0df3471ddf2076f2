import { groupOf, type KubernetesObject } from "../kubernetes/object";
import { isChartType } from "../kubernetes/resource-types";
import type { EnvironmentRun } from "../offline/environment";
import { firstReplicas } from "../planner/scaling";
import { hostsOf } from "../planner/shared-servers";
import type { ApiClient } from "./cluster/api-client";
import { makesPods } from "./cluster/recorded-objects";
import type { ClusterState } from "./cluster-state";
import { groupsOf } from "./groups";
import type { RehearsalFacts } from "./report/schema";
import { type Refusal, workloadFact } from "./workload-facts";
import type { Workload } from "./workloads";

interface Observed {
  /** API groups served by default. */
  readonly builtIn: ReadonlySet<string>;
  readonly objects: readonly KubernetesObject[];
  readonly applied: RehearsalFacts["objects"];
  readonly nodes: RehearsalFacts["nodes"];
  readonly workloads: readonly Workload[];
  readonly state: ClusterState;
  readonly refusals: readonly Refusal[];
}

export function platformFacts(
  { plan, recording }: EnvironmentRun,
  { builtIn, objects, applied, nodes, workloads, state, refusals }: Observed,
): Omit<RehearsalFacts, "drains" | "losses" | "autoscaler"> {
  return {
    environment: plan.environment,
    pools: plan.pools.map(({ name, shape, minNodes, maxNodes }) => ({
      name,
      shape: shape.name,
      nodes: nodes.filter(({ pool }) => pool === name).length,
      minNodes,
      maxNodes,
      gpusPerNode: shape.gpu?.count ?? 0,
    })),
    // Models on another model's server have no pods.
    models: hostsOf(plan.models).map((model) => {
      const { name, pool, nodesPerReplica } = model;
      return { name, pool, replicas: firstReplicas(model), nodesPerReplica };
    }),
    objects: applied,
    workloads: workloads.map((workload) => workloadFact(workload, state, refusals)),
    groups: workloads.flatMap((workload) => groupsOf(workload, state)),
    nodes,
    notRehearsed: notRehearsed(objects, recording, builtIn),
  };
}

function notRehearsed(
  objects: readonly KubernetesObject[],
  { resources }: EnvironmentRun["recording"],
  builtIn: ReadonlySet<string>,
): RehearsalFacts["notRehearsed"] {
  const custom = objects.filter((object) => !makesPods(object) && !builtIn.has(groupOf(object.apiVersion)));
  return {
    charts: resources
      .filter(({ type }) => isChartType(type))
      .map(({ inputs, name }) => (typeof inputs.name === "string" ? inputs.name : name)),
    customResourceKinds: [...new Set(custom.map(({ kind }) => kind))].sort(),
    cronJobs: objects
      .filter(({ kind }) => kind === "CronJob")
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  };
}

/** API groups served before custom resource definitions are installed. */
export async function builtInGroups(client: ApiClient): Promise<Set<string>> {
  const { body } = await client.request("GET", "/apis");
  const { groups } = body as { readonly groups: readonly { readonly name: string }[] };
  return new Set(["", ...groups.map(({ name }) => name)]);
}
