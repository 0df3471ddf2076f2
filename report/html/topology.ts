import type { DeploymentPlan, PoolPlan } from "../../planner/types";
import type { ClusterFact } from "../cluster";
import { nodeCommands } from "../node-commands";
import { arrange, type NodeGroup, nodeCapacity } from "./arrangement";
import type { Section } from "./elements";
import { parallelism, plural } from "./format";
import { groupBy } from "./group-by";
import { html, type Markup } from "./markup";
import { keyChip, type ModelKey } from "./model-keys";
import { drawGroup, idleFabric } from "./node-drawing";

/** Where nodes come from. */
type Cluster = Pick<ClusterFact, "kind" | "provision" | "nodes">;

type Keys = ReadonlyMap<string, ModelKey>;

/** Pools with more groups show alike ones once. */
const MAX_DRAWN = 8;

/** Pools, their nodes at the smallest number of replicas, and which model holds which GPU. */
export function topologySection(plan: DeploymentPlan, cluster: Cluster, keys: Keys): Section {
  return {
    id: "topology",
    title: "Topology",
    lead: "Every node that always runs, at minimum replicas. A filled cell is a GPU that a model holds; cells in one block serve the same replica. The scheduler may swap equal nodes.",
    body: html`${legend(plan, keys)}<div class="pools">${plan.pools.map((pool) => poolCard(plan, pool, cluster, keys))}</div>`,
  };
}

function legend(plan: DeploymentPlan, keys: Keys): Markup {
  return html`<ul class="legend" aria-label="Models in the picture">${plan.models.map(
    (m) =>
      html`<li>${keyChip(keys.get(m.name))}<b>${m.name}</b> <span>${parallelism(m)}, ${plural(m.minReplicas, "replica")}${readyRoom(m)}</span></li>`,
  )}${plan.unplaced.map(
    (m) => html`<li><b>${m.name}</b> <span class="bad">has no place (${m.rule})</span></li>`,
  )}</ul>`;
}

/** Cells that are drawn empty, and paid. */
function readyRoom({ scaling }: DeploymentPlan["models"][number]): string {
  const spare = scaling?.spareReplicas ?? 0;
  return spare > 0 ? `, room held for ${spare} more` : "";
}

function poolCard(plan: DeploymentPlan, pool: PoolPlan, cluster: Cluster, keys: Keys): Markup {
  const groups = arrange(plan, pool);
  const capacity = nodeCapacity(plan, pool);
  const drawn = groups.length > MAX_DRAWN ? alike(groups) : groups.map((group) => [group]);
  const { gpu } = pool.shape;
  const machine = gpu
    ? `${pool.shape.name}, ${gpu.count} × ${gpu.model}`
    : `${pool.shape.name}, ${pool.shape.cpu.vcpus} vCPU`;
  const spare = pool.maxNodes - pool.minNodes;
  return html`
<article class="pool" aria-labelledby="pool-${plan.pools.indexOf(pool)}">
<h3 id="pool-${plan.pools.indexOf(pool)}">${pool.name}</h3>
<p>${machine} · ${plural(pool.minNodes, "node")}</p>
${nodeCommands(pool, plan, cluster).map((command) => html`<p>Each node needs <code>${command}</code></p>`)}
<div class="groups">${drawn.map(([first, ...others]) => first && figure(pool, first, 1 + others.length, drawGroup(first, { pool, capacity, keys, numbered: others.length === 0 })))}
${spare > 0 ? html`<p class="spare">+ ${plural(spare, "more node")}, ${makerOf(pool, cluster)}</p>` : undefined}</div>
</article>`;
}

/** Who adds nodes above the minimum. */
function makerOf({ name }: PoolPlan, { provision, nodes = [] }: Cluster): string {
  if (nodes.some(({ pool, karpenter }) => pool === name && karpenter > 0)) {
    return "by Karpenter";
  }
  return provision === "create" ? "by the cluster's autoscaler" : "by an autoscaler of your own, or by hand";
}

function figure(pool: PoolPlan, group: NodeGroup, copies: number, picture: Markup): Markup {
  const pod = group.length > 1 ? group[0]?.pods[0] : undefined;
  const replica = pod && (copies > 1 ? pod.model.name : `${pod.model.name} replica ${pod.replica}`);
  const caption = [
    replica && pod && `${replica}: ${parallelism(pod.model)} on ${plural(group.length, "node")}`,
    pod && idleFabric(pool),
    copies > 1 ? `${copies} alike` : undefined,
  ].filter((part) => part !== undefined);
  return html`<figure>${picture}${caption.length > 0 ? html`<figcaption>${caption.join(" · ")}</figcaption>` : undefined}</figure>`;
}

/** Groups that hold the same pods, together. */
function alike(groups: readonly NodeGroup[]): NodeGroup[][] {
  const contents = (group: NodeGroup) => JSON.stringify(group.map((node) => node.pods.map((pod) => pod.model.name)));
  return [...groupBy(groups, contents).values()];
}
