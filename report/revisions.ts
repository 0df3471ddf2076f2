import type { DeploymentPlan, ModelPlan, Revision, UnplacedModel } from "../planner/types";
import { usd } from "./style";

type Models = Pick<DeploymentPlan, "models" | "unplaced">;

/**
 * Canary shares and costs; empty without a canary.
 * @param plan of the model.
 */
export function sharing(model: ModelPlan | UnplacedModel, { models, unplaced }: Models): string {
  const { revisionOf, name } = model;
  if (revisionOf) {
    return `canary: ${revisionOf.weight} % of the requests to ${revisionOf.model}`;
  }
  const revisions = [...models, ...unplaced].filter(isRevisionOf(name));
  if (revisions.length === 0) {
    return "";
  }
  const theirs = revisions.reduce((sum, { revisionOf: { weight } }) => sum + weight, 0);
  const placed = [model, ...revisions].filter((m) => "monthlyUsd" in m);
  const cost = placed.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
  const together = placed.length > revisions.length ? `, ${usd(cost)} USD/month with its canary` : "";
  return `${100 - theirs} % of its requests${together}`;
}

function isRevisionOf(name: string) {
  return <M extends ModelPlan | UnplacedModel>(model: M): model is M & { readonly revisionOf: Revision } =>
    model.revisionOf?.model === name;
}
