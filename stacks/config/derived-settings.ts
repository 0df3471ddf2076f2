/** Settings left to traffic or plan, for which the schema still fills in a value. */
import { DERIVED_SETTINGS } from "../../planner/traffic";
import type { ModelConfig } from "./core/canary";
import { valueAt } from "./core/problems";
import { requestedSettings } from "./engine-block";

/** @param values the sections as written. */
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

/** Replicas may be in a canary's block, a group's entry, or an engine's block as pods. */
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
