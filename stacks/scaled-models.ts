import { usesKeda } from "../components/autoscaling/autoscaling";
import type { ScaledModel } from "../components/autoscaling/scaled-model";
import type { ModelEndpoint } from "../components/serving/endpoint";
import { modelEndpoints } from "../components/serving/serving";
import type { ModelPlan } from "../planner/types";

/** Autoscaled models and their workloads. Guests scale with their host. */
export function scaledModels(models: readonly ModelPlan[], endpoints: readonly ModelEndpoint[]): ScaledModel[] {
  return models.flatMap((model) => {
    const { scaling, serverOf } = model;
    const endpoint = endpoints.find(({ model: name }) => name === model.name);
    const guests = models.filter((guest) => guest.serverOf === model.name).map((guest) => guest.name);
    const served = endpoints.filter(({ model: name }) => name === model.name || guests.includes(name));
    return scaling && endpoint?.scale && serverOf === undefined
      ? [{ model, scaling, endpoint, served, target: endpoint.scale }]
      : [];
  });
}

/** Known before layout: who controls engines does not affect it. */
export function runsKeda(models: readonly ModelPlan[]): boolean {
  return usesKeda(scaledModels(models, modelEndpoints(models, undefined)));
}

/** Whether placeholder pods reserve room for replicas. */
export function keepsSpareReplicas(models: readonly ModelPlan[]): boolean {
  return models.some(({ scaling, serverOf }) => serverOf === undefined && (scaling?.spareReplicas ?? 0) > 0);
}
