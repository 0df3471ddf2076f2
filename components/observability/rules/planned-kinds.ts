import { modelNamespaceName } from "../../../names/namespaces";
import type { ExternalModelPlan, ModelPlan } from "../../../planner/types";
import type { RecordingRule, RuleSubject } from "./types";

/** What kind of model a plan has, as series of 1: some alerts do not hold for all kinds. */
export const KIND = {
  /** By `namespace` and `model`. */
  text: "inference:text_model:info",
  /** By `model`: it has no namespace. */
  external: "inference:external_model:info",
} as const;

export interface PlannedKinds {
  readonly models: readonly Pick<ModelPlan, "name" | "task">[];
  readonly externalModels: readonly Pick<ExternalModelPlan, "name">[];
}

/** The series of a plan. */
export function plannedKinds({ models, externalModels }: PlannedKinds): RuleSubject {
  const writers = models.filter(({ task }) => task === "chat" || task === "completion");
  return {
    subject: "planned-kinds",
    recording: [
      ...writers.map(({ name }) =>
        info(
          KIND.text,
          { namespace: modelNamespaceName(name), model: name },
          "1 for each model that writes text: the time of a request grows with its answer.",
        ),
      ),
      ...externalModels.map(({ name }) =>
        info(KIND.external, { model: name }, "1 for each model that is served outside of the cluster."),
      ),
    ],
    alerts: [],
  };
}

function info(record: string, labels: Readonly<Record<string, string>>, about: string): RecordingRule {
  const selector = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return {
    record,
    expr: "vector(1)",
    labels,
    about,
    cases: { gives: { series: {}, at: "5m", samples: { [`${record}{${selector.join(",")}}`]: 1 } } },
  };
}
