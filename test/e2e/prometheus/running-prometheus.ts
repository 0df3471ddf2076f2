/** A real Prometheus with series that a test gives it: scraped, or written as blocks of the past. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { stringify } from "yaml";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { ServerProcess } from "../model-control/registry/server-process";
import { tool } from "./tool";

export interface RunningPrometheus {
  readonly url: string;
  stop(): Promise<void>;
}

export type MonitorEndpoint = NonNullable<NonNullable<IPodMonitor["spec"]>["podMetricsEndpoints"]>[number];

/** @param scrapes URL of series in the text format. @param relabelings of these, as a monitor has them. @param past OpenMetrics with times. */
export async function startPrometheus({
  scrapes,
  relabelings = [],
  past,
}: {
  readonly scrapes?: string;
  readonly relabelings?: MonitorEndpoint["metricRelabelings"];
  readonly past?: string;
}): Promise<RunningPrometheus> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const data = mkdtempSync(join(tmpdir(), "prometheus-"));
  if (past !== undefined) {
    const file = join(data, "past.txt");
    writeFileSync(file, past);
    const { status, output } = tool("promtool", "tsdb", "create-blocks-from", "openmetrics", file, join(data, "tsdb"));
    if (status !== 0) {
      throw new Error(output);
    }
  }
  const server = await ServerProcess.start((folder) => {
    const targets = scrapes === undefined ? [] : [new URL(scrapes).host];
    const job = {
      job_name: "platform",
      honor_labels: true,
      scrape_interval: "1s",
      static_configs: [{ targets }],
      metric_relabel_configs: relabelings.map(({ action, sourceLabels, regex, targetLabel, replacement }) => ({
        action,
        source_labels: sourceLabels,
        regex,
        target_label: targetLabel,
        replacement,
      })),
    };
    const config = join(folder, "prometheus.yml");
    writeFileSync(config, stringify({ scrape_configs: [job] }));
    return {
      command: requirePart("prometheus"),
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(data, "tsdb")}`,
        "--storage.tsdb.retention.time=30d",
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      ready: async () => (await fetch(`${url}/-/ready`)).ok,
    };
  });
  return {
    url,
    stop: async () => {
      await server.stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}
