/** What a file leaves to the traffic of its models: the schema fills in a value for all the same. */
import { DERIVED_SETTINGS } from "../../planner/traffic";
import type { ModelConfig } from "./core/canary";
import { valueAt } from "./core/problems";
import { requestedSettings } from "./engine-block";

/** @param values the sections as they are written. */
export function withDerived(
  models: Readonly<Record<string, ModelConfig>>,
  values: unknown,
): Record<string, ModelConfig> {
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => {
      const derived = model.traffic === undefined ? [] : settingsLeft(name, model, values);
      return [name, derived.length > 0 ? { ...model, derived } : model];
    }),
  );
}

/** A canary says its replicas in its own block, a group those of its model; an engine's block may say how many pods there are. */
function settingsLeft(name: string, model: ModelConfig, values: unknown) {
  const { revisionOf, replicasOf } = model;
  const isSaidElsewhere = replicasOf !== undefined || requestedSettings(model).minReplicas !== undefined;
  const own = ["models", revisionOf?.model ?? name];
  const places = {
    concurrency: [...own, "concurrency"],
    replicas: revisionOf ? [...own, "canary", "replicas"] : [...own, "replicas"],
  };
  return DERIVED_SETTINGS.filter(
    (setting) => valueAt(values, places[setting]) === undefined && !(setting === "replicas" && isSaidElsewhere),
  );
}
