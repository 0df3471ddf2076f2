import { engineOf } from "../../engines";
import { AVAILABILITY } from "../../names/rules";
import { LOWER_PROMISES } from "../availability/promises";
import type { ModelRequest, PlanRequest } from "../request";
import { setting, single } from "./model-settings";
import type { Setting } from "./setting";

/** More would be another deployment, not a fix. */
const MORE_REPLICAS = [1, 2, 3];

/** A lower promise, which takes fewer nodes; with a broken promise also more replicas. */
export function availabilitySettings(request: PlanRequest, model: ModelRequest, rule: string): Setting[] {
  const { serviceLevel } = model;
  const { availability } = serviceLevel ?? {};
  if (serviceLevel === undefined || availability === undefined || model.revisionOf) {
    return [];
  }
  const lower = LOWER_PROMISES.filter((promise) => promise < availability);
  return [
    setting(request, model, "serviceLevel.availability", availability, lower.length, (i) => {
      const to = lower[i] ?? availability;
      return { to, change: { serviceLevel: { ...serviceLevel, availability: to } } };
    }),
    ...(rule === AVAILABILITY ? moreReplicas(request, model) : []),
  ].filter((each) => each !== undefined);
}

/** Separate numbers: a pool may have room only for the smaller one. */
function moreReplicas(request: PlanRequest, model: ModelRequest): (Setting | undefined)[] {
  const { minReplicas, maxReplicas, derived = [], serverOf, engine } = model;
  if (derived.includes("replicas") || serverOf !== undefined || engineOf(engine).answering?.(model) !== undefined) {
    return [];
  }
  const key = minReplicas === maxReplicas ? "replicas" : "replicas.min";
  return MORE_REPLICAS.map((more) => {
    const to = minReplicas + more;
    return single(request, model, key, minReplicas, {
      to,
      change: { minReplicas: to, maxReplicas: Math.max(maxReplicas, to) },
    });
  });
}
