import type { ExternalModelPlan } from "../../planner/types";
import { outsideOf } from "../external-models";
import { breakable, type Column, dataTable, type Section } from "./elements";

const COLUMNS: readonly Column[] = [{ title: "Model" }, { title: "Outside" }, { title: "Requests" }];

/** Models of others; no section where there are none. */
export function externalModelsSections(models: readonly ExternalModelPlan[]): Section[] {
  if (models.length === 0) {
    return [];
  }
  return [
    {
      id: "external-models",
      title: "External models",
      lead: "Others run them: the gateway publishes them, and nothing of them is placed, sized or counted in the cost.",
      body: dataTable(
        "Models that others run",
        COLUMNS,
        models.map((model) => [model.name, breakable(model.url), outsideOf(model).join(" · ")]),
      ),
    },
  ];
}
