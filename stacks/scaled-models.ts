import type { ScaledModel } from "../components/autoscaling/scaled-model";
import type { ModelEndpoint } from "../components/serving/endpoint";
import type { ModelPlan } from "../planner/types";

/** The models whose replicas follow demand, with what runs these. Guests of a server are scaled with their host. */
export function scaledModels(models: readonly ModelPlan[], endpoints: readonly ModelEndpoint[]): ScaledModel[] {
  return models.flatMap((model) => {
    const { scaling, serverOf } = model;
    const endpoint = endpoints.find(({ model: name }) => name === model.name);
    return scaling && endpoint?.scale && serverOf === undefined
      ? [{ model, scaling, endpoint, target: endpoint.scale }]
      : [];
  });
}
