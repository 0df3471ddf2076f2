import type { DeploymentPlan, ModelPlan, Revision, UnplacedModel } from "../planner/types";
import { usd } from "./style";

type Models = Pick<DeploymentPlan, "models" | "unplaced">;

/**
 * How a model shares its requests with another revision, and what both cost; empty where it has all of them to itself.
 *
 * @param plan that the model is in.
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
