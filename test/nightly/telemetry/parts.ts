/** The real collector and the real Loki with rendered configurations: only ports and folders are this machine's. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goMemoryLimit } from "../../../components/core/otel-collector";
import { LOG_COLLECTOR_MEMORY_MIB, logCollectorConfig } from "../../../components/logging/collector-config";
import { lokiConfig } from "../../../components/logging/loki-config";
import type { TraceSampling } from "../../../components/tracing/collector-config";
import { TRACE_COLLECTOR_MEMORY_MIB, traceCollectorConfig } from "../../../components/tracing/collector-config";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../../e2e/model-control/registry/server-process";

export interface Running {
  readonly process: ServerProcess;
  readonly metrics: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface RunningLoki extends Running {
  readonly url: string;
}

const answers = async (url: string) => (await fetch(url)).ok;

export async function startLoki(settings = { retentionDays: 7, storageGiB: 50 }): Promise<RunningLoki> {
  const [http = 0, grpc = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${http}`;
  const process = await ServerProcess.start((folder) => {
    const config = lokiConfig({ ...settings, place: { host: "127.0.0.1", http, grpc, data: join(folder, "data") } });
    const path = join(folder, "loki.json");
    writeFileSync(path, JSON.stringify(config));
    return { command: requirePart("loki"), args: [`-config.file=${path}`], ready: () => answers(`${url}/ready`) };
  });
  return { url, process, metrics: async () => (await fetch(`${url}/metrics`)).text(), stop: () => process.stop() };
}

/** @param memoryMiB of its container. */
async function startCollector(
  configOf: (folder: string, ports: { readonly metrics: number; readonly health: number }) => object,
  memoryMiB: number,
  host = "127.0.0.1",
): Promise<Running> {
  const [metrics = 0, health = 0] = await freePorts(2);
  const process = await ServerProcess.start((folder) => {
    const path = join(folder, "config.json");
    writeFileSync(path, JSON.stringify(configOf(folder, { metrics, health })));
    return {
      command: requirePart("otelcol"),
      args: [`--config=${path}`],
      env: { GOMEMLIMIT: goMemoryLimit(memoryMiB) },
      ready: () => answers(`http://${host}:${health}/`),
    };
  });
  return {
    process,
    metrics: async () => (await fetch(`http://${host}:${metrics}/metrics`)).text(),
    stop: () => process.stop(),
  };
}

export interface RunningTraceCollector extends Running {
  readonly otlp: { readonly grpcPort: number; readonly httpPort: number };
}

/** @param store base URL of a server that takes OTLP over HTTP in plain JSON: the settings that differ. */
export async function startTraceCollector(
  store: string,
  sampling: TraceSampling = { percent: 100 },
  host = "127.0.0.1",
  given?: RunningTraceCollector["otlp"],
): Promise<RunningTraceCollector> {
  const [grpcPort = 0, httpPort = 0] = await freePorts(2);
  const otlp = given ?? { grpcPort, httpPort };
  const running = await startCollector(
    (_, ports) => {
      const config = traceCollectorConfig({
        sampling,
        store: { kind: "otlp", url: store, hasToken: false },
        addresses: { host, ports, otlp },
      }) as { readonly exporters: Readonly<Record<string, object>> };
      const outside = { ...config.exporters["otlp_http/outside"], encoding: "json", compression: "none" };
      return { ...config, exporters: { "otlp_http/outside": outside } };
    },
    TRACE_COLLECTOR_MEMORY_MIB,
    host,
  );
  return { ...running, otlp };
}

/** @param pods folder with log files as a node's kubelet has them. */
export function startLogCollector(loki: string, pods: string): Promise<Running> {
  return startCollector((folder, ports) => {
    const offsets = join(folder, "offsets");
    mkdirSync(offsets);
    return logCollectorConfig({ loki, addresses: { host: "127.0.0.1", ports }, folders: { pods, offsets } });
  }, LOG_COLLECTOR_MEMORY_MIB);
}

/** Lines as a container runtime writes them (CRI). */
export function criLine(text: string, at = new Date()): string {
  return `${at.toISOString().replace("Z", "000000Z")} stdout F ${text}\n`;
}

/** Resident memory of a collector, bytes. @throws Error without its series. */
export async function residentBytes(collector: Running): Promise<number> {
  const found = /^otelcol_process_memory_rss(?:_bytes)?\{?.*? (?<bytes>[\d.e+]+)$/m.exec(await collector.metrics());
  if (found?.groups?.bytes === undefined) {
    throw new Error("the collector reports no memory");
  }
  return Number(found.groups.bytes);
}
