/** What a file leaves to the traffic of its models, or to the plan: the schema fills in a value for all the same. */
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
      const left = settingsLeft(name, model, values);
      const derived = model.traffic === undefined ? [] : left;
      const assumesConcurrency = model.traffic === undefined && left.includes("concurrency");
      return [
        name,
        { ...model, ...(derived.length > 0 && { derived }), ...(assumesConcurrency && { assumesConcurrency }) },
      ];
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
