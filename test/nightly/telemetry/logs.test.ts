/** Log files of pods, through the real collector into the real Loki, found by the command of docs/telemetry.md. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { documentedQuery, linesIn } from "./documented-query";
import { criLine, type Running, type RunningLoki, startLogCollector, startLoki } from "./parts";

const REQUEST = "2f1c9d7e-0b5a-4d3c-9f6e-8a7b6c5d4e3f";
const pods = mkdtempSync(join(tmpdir(), "inference-stacks-pods-"));

let loki: RunningLoki;
let collector: Running;

const fileOf = (namespace: string, pod: string, container: string) =>
  join(pods, `${namespace}_${pod}_0a1b2c3d-0000-4000-8000-000000000000`, container, "0.log");

function write(file: string, ...texts: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, texts.map((text) => criLine(text)).join(""));
}

beforeAll(async () => {
  const gateway = {
    request_id: REQUEST,
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    tenant: "team-a",
    latency_ms: 812,
  };
  write(
    fileOf("inference-gateway", "inference-0", "envoy"),
    JSON.stringify(gateway),
    JSON.stringify({ request_id: "other" }),
  );
  write(fileOf("model-chat", "model-chat-0", "vllm"), `INFO: request ${REQUEST} finished`);
  write(fileOf("payments", "ledger-0", "app"), `${REQUEST} of somebody else's pod`);
  loki = await startLoki();
  collector = await startLogCollector(loki.url, pods);
}, 180_000);
afterAll(async () => {
  await collector?.stop();
  await loki?.stop();
  rmSync(pods, { recursive: true, force: true });
});

describe("logs in Loki", () => {
  it("are found by the documented command, of the platform's pods alone and whole", async () => {
    const found = await waitFor(
      "both lines",
      async () => {
        const lines = await linesIn(loki.url, documentedQuery(REQUEST));
        return lines.length >= 2 ? lines : undefined;
      },
      60,
    );
    expect(found.map(({ stream }) => [stream.k8s_namespace_name, stream.k8s_container_name]).sort()).toEqual([
      ["inference-gateway", "envoy"],
      ["model-chat", "vllm"],
    ]);
    const [line] = found.filter(({ stream }) => stream.k8s_container_name === "envoy");
    expect(JSON.parse(line?.text ?? "")).toMatchObject({ request_id: REQUEST, tenant: "team-a", latency_ms: 812 });
  });

  it("answer by fields of the access log", async () => {
    const query =
      '{k8s_namespace_name="inference-gateway", k8s_container_name="envoy"} | json | tenant="team-a" | latency_ms > 500';
    expect(await linesIn(loki.url, query)).toHaveLength(1);
  });

  it("come once, also where a new pod of the collector reads the files again", async () => {
    await collector.stop();
    collector = await startLogCollector(loki.url, pods);
    write(fileOf("inference-gateway", "inference-0", "envoy"), JSON.stringify({ request_id: "later" }));
    await waitFor(
      "the later line",
      async () => ((await linesIn(loki.url, documentedQuery("later"))).length > 0 ? true : undefined),
      60,
    );
    expect(await linesIn(loki.url, documentedQuery(REQUEST))).toHaveLength(2);
  });

  it("wait for a Loki that is away within the memory, and are complete when it is back", async () => {
    await loki.process.kill();
    const file = fileOf("model-chat", "model-chat-0", "vllm");
    const filler = "x".repeat(900);
    // More than the queue holds.
    const count = 20_000;
    writeFileSync(file, "", { flag: "a" });
    for (let at = 0; at < count; at += 1000) {
      write(file, ...Array.from({ length: 1000 }, (_, index) => `flood ${at + index} ${filler}`));
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const rss = (text: string) =>
      Number(/^otelcol_process_memory_rss(?:_bytes)?\{?.*? ([\d.e+]+)$/m.exec(text)?.[1] ?? 0);
    expect(rss(await collector.metrics())).toBeGreaterThan(0);
    expect(rss(await collector.metrics())).toBeLessThan(512 * 2 ** 20);
    await loki.process.start();
    await waitFor(
      "the last line",
      async () => ((await linesIn(loki.url, documentedQuery(`flood ${count - 1} `))).length > 0 ? true : undefined),
      240,
    );
  }, 400_000);
});
