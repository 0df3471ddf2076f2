import { engineOf } from "../engines";
import type { ServerGroupPlan } from "../planner/inference-nodes";
import type { DeploymentPlan, ModelPlan } from "../planner/types";

export const NO_REGISTRAR = "no registrar";

export type GroupsOfPlan = Pick<DeploymentPlan, "groups" | "models" | "unplaced">;

/** What a reader should know of a server group. */
export interface DescribedGroup {
  readonly name: string;
  /** Below the gateway's address. */
  readonly path: string;
  readonly model: string;
  /** How many nodes there are, and whose. */
  readonly nodes: string;
  readonly registrar: string;
}

export function describedGroups({ groups, models, unplaced }: GroupsOfPlan): DescribedGroup[] {
  return groups.map((group) => ({
    name: group.name,
    path: `/${group.name}`,
    model: group.model,
    nodes: nodesOf(group, models, unplaced),
    registrar: registrarOf(group),
  }));
}

function nodesOf({ name, model }: ServerGroupPlan, models: readonly ModelPlan[], unplaced: DeploymentPlan["unplaced"]) {
  const own = models.filter(({ node }) => node?.group === name);
  if (own.length === 0) {
    return unplaced.some((each) => each.name === model) ? "not placed" : "an external server";
  }
  return own.map((each) => `${count(each)}${each.revisionOf ? " of its canary" : ""}`).join(" + ");
}

function count(model: ModelPlan): string {
  const { minReplicas, maxReplicas } = model;
  const nodes = engineOf(model.engine).answering?.(model) ?? minReplicas;
  const more = maxReplicas > minReplicas ? `, room for ${maxReplicas}` : "";
  return `${nodes} ${nodes === 1 ? "node" : "nodes"}${more}`;
}

function registrarOf({ registrar }: ServerGroupPlan): string {
  if (registrar === undefined) {
    return NO_REGISTRAR;
  }
  const { url, renewSeconds, secretKey, networks, authorities } = registrar;
  return [
    `registrar ${url}, renewed every ${renewSeconds} s`,
    secretKey === undefined ? "no key" : `key: secret ${secretKey}`,
    ...(networks ? [`reached in ${networks.join(", ")} alone`] : []),
    ...(authorities ? [`certificates of ${authorities.file}`] : []),
  ].join(" · ");
}
