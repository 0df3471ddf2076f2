/** Checks the closed-form plan for traffic by simulation, before anything depends on it. */
import type { FitCache } from "../fit-cache";
import type { Placement } from "../placement";
import { type Places, placesOf } from "../places";
import type { PlanRequest } from "../request";
import { peakRate } from "../traffic";
import { confirmedReplicas } from "./simulated";
import { isDerived } from "./sizing";

/** A change may make another layout cheapest; one or two rounds converge. */
const MOST_ROUNDS = 3;

/** With each model's rate share that its simulation confirms; unchanged without traffic. */
export function confirmedPlaces(
  asked: PlanRequest,
  fits: FitCache,
): { readonly request: PlanRequest; readonly places: Places } {
  let request = asked;
  let places = placesOf(request, fits);
  for (let round = 0; round < MOST_ROUNDS && request.models.some(({ traffic }) => traffic); round += 1) {
    const shares = new Map<string, number>();
    for (const placement of places.placements) {
      const share = shareOf(placement);
      if (share < 1) {
        shares.set(placement.model.name, share);
      }
    }
    if (shares.size === 0) {
      break;
    }
    request = {
      ...request,
      models: request.models.map((model) => {
        const share = shares.get(model.name);
        return share === undefined ? model : { ...model, confirmedShare: share * (model.confirmedShare ?? 1) };
      }),
    };
    places = placesOf(request, fits);
  }
  return { request, places };
}

/** Fraction of the planned rate. */
function shareOf({ model, candidate: { speed, sizing } }: Placement): number {
  const { traffic, serviceLevel, maxReplicas } = model;
  if (traffic === undefined || sizing === undefined || "reason" in speed || sizing.needed > maxReplicas) {
    return 1;
  }
  const peak = peakRate(traffic);
  const replicas = isDerived(model, "replicas") ? sizing.needed : maxReplicas;
  const confirmed = confirmedReplicas(speed.speed, serviceLevel, peak, replicas);
  return confirmed === replicas ? 1 : peak / confirmed / sizing.rate.requestsPerSecond;
}
