import type { DeploymentPlan, ModelPlan } from "../../planner/types";
import { speedDetails, speedTexts } from "../speed";
import { type Column, dataTable, type Section } from "./elements";
import { html, type Markup, type Part } from "./markup";
import { keyChip, type ModelKey } from "./model-keys";

const COLUMNS: readonly Column[] = [
  { title: "Model" },
  { title: "A replica", kind: "long" },
  { title: "Basis, and prices of APIs", kind: "long" },
];

/** How fast replicas answer; nothing where no model makes tokens. */
export function speedSections(
  { models }: Pick<DeploymentPlan, "models">,
  keys: ReadonlyMap<string, ModelKey>,
): Section[] {
  const told = models.filter((model) => speedTexts(model).length > 0);
  if (told.length === 0) {
    return [];
  }
  return [
    {
      id: "speed",
      title: "Speed",
      lead: "Of one replica, at the peak of its traffic or with as many requests at once as its concurrency says. Figures are predicted; the range next to each shows how far a measurement may differ.",
      body: dataTable(
        "How fast replicas answer",
        COLUMNS,
        told.map((model) => row(model, keys.get(model.name))),
      ),
    },
  ];
}

function row(model: ModelPlan, key: ModelKey | undefined): readonly Part[] {
  return [html`${keyChip(key)}${model.name}`, lines(speedTexts(model)), lines(speedDetails(model))];
}

function lines([first = "–", ...others]: readonly string[]): Markup {
  return html`${first}${others.map((text) => html`<small>${text}</small>`)}`;
}
