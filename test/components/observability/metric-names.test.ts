import { describe, expect, it } from "vitest";
import { metricNames } from "./metric-names";

describe("metricNames", () => {
  it.each([
    ["up", ["up"]],
    ['sum by (job) (rate(vllm:a_total{x="b c"}[5m] offset 10m)) > 0.9 and on (pod) kube_b', ["vllm:a_total", "kube_b"]],
    [
      'label_replace(a * on (n) group_left (m) b:c:info, "to", "$1", "from", "(.+)") unless d == 1e9',
      ["a", "b:c:info", "d"],
    ],
    ["histogram_quantile(0.99, sum by (le) (x_bucket)) - time()", ["x_bucket"]],
  ])("%s", (expr, names) => {
    expect(metricNames(expr)).toEqual(names);
  });
});
