/** Log files of pods, through the real collector into the real Loki, found by the command of docs/telemetry.md. */
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOG_COLLECTOR_MEMORY_MIB } from "../../../components/logging/collector-config";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { countsIn, documentedQuery, linesIn } from "./documented-query";
import { criLine, type Running, type RunningLoki, residentBytes, startLogCollector, startLoki } from "./parts";

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
  // A volume whose rate lets a flood through in minutes.
  loki = await startLoki({ retentionDays: 7, storageGiB: 2000 });
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

  it("wait for a Loki that is away within the memory, and are complete when it is back, rotated files too", async () => {
    await loki.process.kill();
    const filler = "x".repeat(900);
    const lines = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `flood ${from + index} ${filler}`);
    // Half as much again as the queue holds: 20 containers of 9 MiB.
    const containers = Array.from({ length: 20 }, (_, index) => `flooding-${index}`);
    let most = 0;
    for (const container of containers) {
      write(fileOf("model-chat", "model-chat-0", container), ...lines(0, 10_000));
      await new Promise((resolve) => setTimeout(resolve, 500));
      most = Math.max(most, await residentBytes(collector));
    }
    await waitFor(
      "a full queue",
      async () =>
        /^otelcol_exporter_queue_size\{?.*? 1\.\d+e\+08$/m.test(await collector.metrics()) ? true : undefined,
      120,
    );
    for (let look = 0; look < 20; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      most = Math.max(most, await residentBytes(collector));
    }
    expect(most).toBeLessThan(LOG_COLLECTOR_MEMORY_MIB * 2 ** 20);

    const rotated = fileOf("model-chat", "model-chat-0", "rotates");
    write(rotated, ...lines(0, 1000));
    renameSync(rotated, `${rotated}.20261130-064012`);
    write(rotated, ...lines(1000, 1000));
    await loki.process.start();
    const expected = Object.fromEntries([
      ...containers.map((container) => [container, 10_000] as const),
      ["rotates", 2000] as const,
    ]);
    const complete = async () => {
      const counts = await countsIn(loki.url, '{k8s_namespace_name="model-chat"} |= "flood "');
      return Object.entries(expected).every(([name, count]) => (counts[name] ?? 0) >= count) ? counts : undefined;
    };
    expect(await waitFor("all lines", complete, 400)).toEqual(expected);
  }, 700_000);
});
