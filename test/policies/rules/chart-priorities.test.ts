import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { chartReference, charts } from "../../../catalog/charts";
import rows from "../../../policies/data/chart-priorities.json";
import { chartPriorities } from "../../../policies/rules/chart-priorities";
import { deployment, podSpec, policyCases, release, UNKNOWN } from "../cases";

const priorityClassName = "inference-platform";
/** A release of a pinned chart. */
const of = (chart: string, values: unknown = {}) => [release({ ...chartReference(chart), values })];

policyCases(chartPriorities, [
  ["a class", of("keda", { priorityClassName }), "pass"],
  ["a class deep inside", of("cert-manager", { global: { priorityClassName } }), "pass"],
  ["a chart that has no value for it", of("ai-gateway-helm"), "pass"],
  ["a chart that names one itself", of("gpu-operator"), "pass"],
  ["a chart that nobody has read", [release({ chart: "something-else" })], "pass"],
  ["no chart", [deployment(podSpec())], "pass"],
  ["none", of("lws"), ["values.priorityClassName is not set"]],
  ["an empty one", of("lws", { priorityClassName: "" }), ['priorityClassName is ""']],
  [
    "one of two parts",
    of("gateway-helm", { deployment: { replicas: 2 } }),
    ["values.deployment.priorityClassName is not set"],
  ],
  ["unknown values", of("lws", UNKNOWN), "unknown"],
]);

describe("the table", () => {
  const table = Object.entries(rows.charts).map(([name, row]) => [name, "keys" in row ? row.keys : []] as const);

  it("names pinned charts, in order", () => {
    const names = table.map(([name]) => name);
    expect(names).toEqual(names.toSorted());
    expect(names.filter((name) => !charts.some((chart) => chart.name === name))).toEqual([]);
  });

  it("names values that these have", () => {
    const nested = (key: string): Record<string, unknown> => {
      const [first = "", ...rest] = key.split(".");
      return { [first]: rest.length === 0 ? priorityClassName : nested(rest.join(".")) };
    };
    expect(table.flatMap(([name, keys]) => keys.flatMap((key) => chartValueProblems(name, nested(key))))).toEqual([]);
  });
});
