/** `npm run cost` asks a real server: blocks of what rules would have recorded, over HTTP. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askFigures } from "../../../cli/cost/figures";
import { Prometheus } from "../../../cli/cost/prometheus";
import { COST_SERIES } from "../../../names/cost-series";
import { requirePart } from "../../../rehearsal/parts/find";

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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise<void>((done) => server.close(() => done()));
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("the costs of a real Prometheus", () => {
  let folder = "";
  let server: ChildProcess | undefined;
  let url = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cost-"));
    const [text, blocks, config] = ["past.txt", "blocks", "prometheus.yaml"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(blocks);
    writeFileSync(config, "{}\n");
    writeFileSync(
      text,
      openMetrics({
        [`${COST_SERIES.total}`]: 10.5,
        [`${COST_SERIES.node}{node="gpu-1",pool="gpu",role="gpu"}`]: 8,
        [`${COST_SERIES.model}{namespace="model-chat",model="chat",pool="gpu"}`]: 6,
        [`${COST_SERIES.tenant}{tenant="web",model="chat"}`]: 6,
      }),
    );
    execFileSync(requirePart("promtool"), ["tsdb", "create-blocks-from", "openmetrics", text, blocks]);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = spawn(
      requirePart("prometheus"),
      [`--config.file=${config}`, `--storage.tsdb.path=${blocks}`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: "ignore" },
    );
    for (let tries = 0; tries < 300; tries++) {
      const ready = await fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (ready) {
        return;
      }
      await sleep(200);
    }
    throw new Error(`Prometheus at ${url} is not ready`);
  }, 90_000);

  afterAll(() => {
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it("are those of its blocks", { timeout: 30_000 }, async () => {
    const { hours, total, pools, models, tenants } = await askFigures(new Prometheus(url), 1);
    expect(hours).toBeCloseTo((SAMPLES * STEP) / 3600, 3);
    expect(total).toBe(10.5);
    expect(pools.get("gpu")).toEqual({ usd: 8, nodes: 1, unclaimed: 0 });
    expect(models.get("chat")?.allocated.get("gpu")).toBe(6);
    expect(tenants).toEqual([{ tenant: "web", usd: 6, tokensPerSecond: 0 }]);
  });
});
