/** `npm run cost --opencost`: OpenCost's figures stand beside the report, or are missing there. */
import { afterAll, describe, expect, it } from "vitest";
import { main } from "../../../cli/cost";
import { COST_SERIES } from "../../../names/cost-series";
import { environmentIn, laptop, runPiped, useFolder } from "../run";
import { closeServers, type Routes, serve } from "../smoke-servers";

const folder = useFolder();
afterAll(closeServers);

/** An hour of costs. */
const PROMETHEUS: Routes = {
  "GET /api/v1/query*": ({ path }) => {
    const query = new URLSearchParams(path.slice(path.indexOf("?") + 1)).get("query") ?? "";
    const value = query.startsWith("max(count_over_time") ? "120" : "2";
    const isAsked = query.includes("count_over_time") || query.includes(COST_SERIES.total);
    const result = isAsked ? [{ metric: {}, value: [1, value] }] : [];
    return { body: { status: "success", data: { resultType: "vector", result } } };
  },
};

async function report(opencost: string) {
  const { url } = await serve(PROMETHEUS);
  const file = environmentIn(folder, laptop);
  const argv = ["test", "--config", file, "--prometheus", url, "--opencost", opencost, "--json"];
  const { status, out, err } = await runPiped(main, argv);
  return {
    status,
    err,
    models: (JSON.parse(out) as { models: { name: string; openCostUsd: number | null }[] }).models,
  };
}

describe("OpenCost beside a report of costs", () => {
  it("leaves the report as it is where it does not answer, and says so", async () => {
    const { status, err, models } = await report("http://127.0.0.1:1");
    expect(status).toBe(0);
    expect(err).toContain("nothing listens at http://127.0.0.1:1");
    expect(models).toMatchObject([{ name: "chat", openCostUsd: null }]);
  });

  it("counts what has a number", async () => {
    const { url } = await serve({
      "GET /allocation/compute*": () => ({
        body: { data: [{ "model-chat": { totalCost: 3 }, "model-other": { totalCost: null } }] },
      }),
    });
    const { err, models } = await report(url);
    expect(err).not.toContain("look at");
    expect(models).toMatchObject([{ name: "chat", openCostUsd: 3 * 730 }]);
  });
});
