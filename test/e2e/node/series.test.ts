import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NODE_CLUSTERS } from "../../../components/node/envoy-names";
import { NODE_METRICS_PATH } from "../../../components/node/ports";
import { nodes } from "../../../components/observability/rules/nodes";
import { metricNames } from "../../components/observability/metric-names";
import { type RealNode, startNode } from "./real-node";

/** Series by their name and labels, as Envoy writes them: `envoy_x{a="b",c="d"}`. */
type Scrape = ReadonlyMap<string, number>;

/** What alerts on nodes and their dashboard take for granted, on the real Envoy. */
describe("series of a node's Envoy", () => {
  let node: RealNode;
  let engine: Server;
  let answer: RequestListener = () => {};

  beforeAll(async () => {
    engine = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => engine.listen(0, "127.0.0.1", resolve));
    const { port } = engine.address() as AddressInfo;
    const model = { engine: "vllm", servedName: "chat", task: "chat", node: { group: "cluster" } } as const;
    node = await startNode({ model, enginePort: port, times: { healthSeconds: 1, streamIdleSeconds: 3600 } });
  });
  afterAll(async () => {
    await node?.stop();
    engine?.closeAllConnections();
    engine?.close();
  });

  const withStatus =
    (status: number): RequestListener =>
    (_, response) =>
      void response.writeHead(status).end("{}");
  const health = async () => (await fetch(`${node.url}/health`)).text();
  const infer = async () => {
    const body = JSON.stringify({ model: "chat" });
    const headers = { "content-type": "application/json" };
    return (await fetch(`${node.url}/infer`, { method: "POST", headers, body })).status;
  };

  async function scrape(): Promise<Scrape> {
    const text = await (await fetch(`http://127.0.0.1:${node.metricsPort}${NODE_METRICS_PATH}`)).text();
    const samples = [...text.matchAll(/^(?<name>\w+)\{(?<labels>[^}]*)\} (?<value>\S+)$/gm)];
    return new Map(
      samples.map(({ groups }) => {
        const labels = (groups?.labels ?? "").split(",").sort().join(",");
        return [`${groups?.name}{${labels}}`, Number(groups?.value)];
      }),
    );
  }

  /** How much each of these grew meanwhile. */
  async function grown(work: () => Promise<unknown>, cluster: keyof typeof NODE_CLUSTERS) {
    const before = await scrape();
    await work();
    const after = await scrape();
    const label = `envoy_cluster_name="${NODE_CLUSTERS[cluster]}"`;
    const by = (name: string, more = "") =>
      (after.get(`${name}{${label}${more}}`) ?? 0) - (before.get(`${name}{${label}${more}}`) ?? 0);
    const answers = (group: number) => by("envoy_cluster_upstream_rq_xx", `,envoy_response_code_class="${group}"`);
    return {
      ok: answers(2),
      failed: answers(5),
      refused: by("envoy_cluster_upstream_cx_connect_fail"),
      timedOut: by("envoy_cluster_upstream_rq_timeout"),
    };
  }

  it("count health that is well, apart from inference", async () => {
    answer = withStatus(200);
    expect(await grown(async () => expect(await health()).toContain("ok"), "health")).toMatchObject({
      ok: 1,
      failed: 0,
    });
    expect(await grown(health, "engine")).toMatchObject({ ok: 0, failed: 0 });
    expect(await grown(async () => expect(await infer()).toBe(200), "engine")).toMatchObject({ ok: 1, failed: 0 });
    expect(await grown(infer, "health")).toMatchObject({ ok: 0, failed: 0 });
  });

  it("count an engine that answers and is not well as answers, and as nothing unreachable", async () => {
    answer = withStatus(500);
    expect(await grown(async () => expect(await health()).toContain("degraded"), "health")).toEqual({
      ok: 0,
      failed: 1,
      refused: 0,
      timedOut: 0,
    });
    expect(await grown(infer, "engine")).toMatchObject({ ok: 0, failed: 1 });
  });

  it("count one that does not answer in time as timed out", async () => {
    answer = () => {};
    expect(await grown(async () => expect(await health()).toContain("unhealthy"), "health")).toMatchObject({
      ok: 0,
      timedOut: 1,
    });
  });

  it("count one that nobody can connect to as refused", async () => {
    engine.closeAllConnections();
    await new Promise((resolve) => engine.close(resolve));
    const counted = await grown(async () => expect(await health()).toContain("unhealthy"), "health");
    expect(counted).toMatchObject({ ok: 0, timedOut: 0 });
    expect(counted.refused).toBeGreaterThan(0);
    expect(await grown(infer, "engine")).toMatchObject({ ok: 0, failed: 1 });
  });

  it("are all that rules of nodes read", async () => {
    const names = new Set([...(await scrape()).keys()].map((series) => series.replace(/\{.*/, "")));
    const read = [...nodes.alerts, ...nodes.recording].flatMap(({ expr }) => metricNames(expr));
    expect(new Set(read).size).toBe(4);
    expect(read.filter((name) => !names.has(name))).toEqual([]);
  });
});
