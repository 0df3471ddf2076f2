/** What lets an engine start that lacks memory for what it allocates besides the load. */
import { engineOf, settingPath } from "../../engines";
import { isStartCheck } from "../memory/verdict";
import type { ModelRequest, PlanRequest } from "../request";
import type { DeploymentPlan } from "../types";
import { single } from "./model-settings";
import type { Setting } from "./setting";

/** Parts of a card that leave more to what lies outside of the budget. */
export const LOWER_PARTS = [0.9, 0.85, 0.8, 0.7];

/** Nothing where the load decides: none of these makes room for it. */
export function startSettings(request: PlanRequest, plan: DeploymentPlan, model: ModelRequest): Setting[] {
  const miss = plan.unplaced.find(({ name }) => name === model.name)?.nearest;
  return miss && isStartCheck(miss.verdict.decides)
    ? [...lessOfTheCard(request, model), ...flags(request, model)].filter((each) => each !== undefined)
    : [];
}

/**
 * Less of the card, which what is allocated once the cache is full then has. Each part by itself: less also holds less
 * of the model, so that the least may fail where one above it helps.
 */
function lessOfTheCard(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { engine, gpuMemoryUtilization } = model;
  const key = "gpuMemoryUtilization";
  return settingPath(engine, key) === key
    ? []
    : LOWER_PARTS.filter((part) => gpuMemoryUtilization === undefined || part < gpuMemoryUtilization).map((to) =>
        single(request, model, key, gpuMemoryUtilization ?? null, { to, change: { gpuMemoryUtilization: to } }),
      );
}

function flags(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { engine, args = {} } = model;
  return (engineOf(engine).startFlags ?? [])
    .filter(({ flag }) => args[flag] === undefined)
    .map(({ flag }) => {
      const change = { args: { ...args, [flag]: true } };
      return single(request, model, `args.${flag}`, null, { to: true, change });
    });
}
