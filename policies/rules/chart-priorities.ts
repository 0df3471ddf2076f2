import { chartNameOf } from "../../catalog/chart-archive";
import rows from "../data/chart-priorities.json";
import { resourcePolicy } from "../lib/policy";
import { HELM_CHART } from "../lib/resource";
import { isGiven } from "../lib/rows";

interface ChartRow {
  readonly keys?: readonly string[];
  readonly own?: string;
  readonly without?: string;
}

const CHARTS: ReadonlyMap<string, ChartRow> = new Map(Object.entries<ChartRow>(rows.charts));

export const chartPriorities = resourcePolicy(
  {
    name: "chart-priorities",
    description:
      "Pods of known Helm charts have a priority class: without one they rank below every download, and a full node evicts them first.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["scheduling", "reliability"],
    remediationSteps: "Set the value to PRIORITY.platform.name (components/core/priority-classes.ts).",
  },
  (resource, report) => {
    if (!HELM_CHART.test(resource.type)) {
      return;
    }
    const chart = resource.props.get("chart").text();
    for (const key of CHARTS.get(chartNameOf(chart ?? "") ?? "")?.keys ?? []) {
      const field = resource.props.get("values", ...key.split("."));
      if (field.is((name) => !isGiven(name))) {
        report({ resource, field, allowed: "the name of a priority class" });
      }
    }
  },
);
