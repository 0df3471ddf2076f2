/** `npm run cost` asks a real server: blocks of what rules would have recorded, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askFigures } from "../../../cli/cost/figures";
import { Prometheus } from "../../../cli/prometheus/client";
import { HttpClient } from "../../../cli/smoke/http";
import { COST_SERIES } from "../../../names/cost-series";
import { type RunningPrometheus, startPrometheus } from "./running-prometheus";

const STEP = 30;
const SAMPLES = 240;

/** Steady for two hours that end ten minutes ago. */
function openMetrics(series: Readonly<Record<string, number>>): string {
  const end = Math.floor(Date.now() / 1000) - 600;
  const lines = Object.entries(series).flatMap(([name, value]) =>
    Array.from({ length: SAMPLES }, (_, i) => `${name} ${value} ${end - (SAMPLES - i) * STEP}`),
  );
  return `${lines.join("\n")}\n# EOF\n`;
}

describe("the costs of a real Prometheus", () => {
  let prometheus: RunningPrometheus;

  beforeAll(async () => {
    const past = openMetrics({
      [`${COST_SERIES.total}`]: 10.5,
      [`${COST_SERIES.node}{node="gpu-1",pool="gpu",role="gpu"}`]: 8,
      [`${COST_SERIES.model}{namespace="model-chat",model="chat",pool="gpu"}`]: 6,
      [`${COST_SERIES.tenant}{tenant="web",model="chat"}`]: 6,
    });
    prometheus = await startPrometheus({ past });
  }, 90_000);

  afterAll(() => prometheus.stop());

  it("are those of its blocks", { timeout: 30_000 }, async () => {
    const { hours, total, pools, models, tenants } = await askFigures(
      new Prometheus(new HttpClient(prometheus.url)),
      1,
      AbortSignal.timeout(20_000),
    );
    expect(hours).toBeCloseTo((SAMPLES * STEP) / 3600, 3);
    expect(total).toBe(10.5);
    expect(pools.get("gpu")).toEqual({ usd: 8, nodes: 1, unclaimed: 0 });
    expect(models.get("chat")?.allocated.get("gpu")).toBe(6);
    expect(tenants).toEqual([{ tenant: "web", usd: 6, tokensPerSecond: 0 }]);
  });
});
