/** Settings that let an engine start when memory for anything but the load is short. */
import { engineOf, settingPath } from "../../engines";
import { isStartCheck } from "../memory/verdict";
import type { ModelRequest, PlanRequest } from "../request";
import type { DeploymentPlan } from "../types";
import { single } from "./model-settings";
import type { Setting } from "./setting";

/** Lower shares of a card leave more outside the engine's budget. */
export const LOWER_PARTS = [0.9, 0.85, 0.8, 0.7];

/** Empty where the load decides: none of these helps. */
export function startSettings(request: PlanRequest, plan: DeploymentPlan, model: ModelRequest): Setting[] {
  const miss = plan.unplaced.find(({ name }) => name === model.name)?.nearest;
  return miss && isStartCheck(miss.verdict.decides)
    ? [...lessOfTheCard(request, model), ...flags(request, model)].filter((each) => each !== undefined)
    : [];
}

/**
 * A lower share of the card leaves more for allocations after the cache. Shares are tried
 * separately: a lower one holds less of the model, so the lowest may fail where a higher one helps.
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
