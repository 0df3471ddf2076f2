import { describe, expect, it } from "vitest";
import type { CostLine } from "../../../cli/cost/compare";
import { costCsv, costText } from "../../../cli/cost/report";

const line = (name: string, planUsd: number, actualUsd: number, why: CostLine["why"] = []): CostLine => ({
  name,
  planUsd,
  actualUsd,
  differenceUsd: actualUsd - planUsd,
  differencePercent: planUsd > 0 ? (100 * (actualUsd - planUsd)) / planUsd : null,
  why,
});

const report = (tenant: string) => ({
  environment: "prod",
  hours: 720,
  total: line("total", 1000, 1100, [{ text: "pool gpu", usd: 100 }]),
  pools: [line("gpu", 1000, 1100, [{ text: '2.2 nodes on average, "2" planned', usd: 100 }])],
  models: [],
  tenants: [{ name: tenant, actualUsd: 1100, percent: 100, tokensPerSecond: 3 }],
  notPriced: ["network traffic"],
});

describe("a report of costs", () => {
  it("says plan, actual, difference and why", () => {
    const text = costText(report("web"));
    expect(text).toContain("total  1000.00  1100.00     +100.00  +10.0 %");
    expect(text).toContain('gpu: +100.00 2.2 nodes on average, "2" planned');
    expect(text).toContain("Not in these figures: network traffic.");
  });

  it("has a line of CSV for each, quoted", () => {
    const [head, total, gpu, tenant, end] = costCsv(report("web")).split("\n");
    expect([head?.split(",").length, total?.split(",").length, tenant?.split(",").length, end]).toEqual([
      11,
      11,
      11,
      "",
    ]);
    expect(gpu).toContain('"\'+100.00 2.2 nodes on average, ""2"" planned"');
  });

  it.each(["=1+1", "@sum", "-x", "+x"])("gives a spreadsheet no formula: %s", (tenant) => {
    expect(costCsv(report(tenant))).toContain(`,tenant,'${tenant},`);
  });

  it("keeps a tenant with a line feed on its line", () => {
    expect(costCsv(report("a\nb")).split("\n")).toHaveLength(5);
  });
});
