import type { ExternalModelPlan } from "../../planner/types";
import { outsideOf } from "../external-models";
import { type Style, table, WIDTH, wrap } from "../style";

/** Two lines each; empty without external models. */
export function externalModels(models: readonly ExternalModelPlan[], s: Style): string {
  if (models.length === 0) {
    return "";
  }
  const header = ["External models", "outside: not placed, not sized, cost not counted here"];
  const rows = models.flatMap((model) => [
    [{ text: model.name, paint: s.bold }, `outside: ${model.url}`],
    ...wrap(outsideOf(model).join(" · "), WIDTH, "  ").map((line) => [{ text: line, paint: s.dim, spans: true }]),
  ]);
  return table([header.map((text) => ({ text, paint: s.dim })), ...rows]);
}
