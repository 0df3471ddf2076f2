import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeAgentRows } from "../../../catalog/node-agents";
import {
  LOG_COLLECTOR_MEMORY_MIB,
  LOG_COLLECTOR_REQUEST,
  logCollectorConfig,
} from "../../../components/logging/collector-config";
import { lokiConfig, sustainedMiB } from "../../../components/logging/loki-config";

interface Limits {
  readonly ingestion_rate_mb: number;
  readonly ingestion_burst_size_mb: number;
  readonly retention_period: string;
}

interface CollectorConfig {
  readonly receivers: {
    readonly file_log: { readonly include: readonly string[]; readonly exclude: readonly string[] };
  };
  readonly exporters: Readonly<
    Record<string, { readonly sending_queue: { readonly queue_size: number; readonly block_on_overflow: boolean } }>
  >;
}

describe("Loki", () => {
  it("takes no more lines than its volume holds for the retention", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 365 }),
        fc.integer({ min: 5, max: 16_384 }),
        (retentionDays, storageGiB) => {
          const { limits_config: limits } = lokiConfig({ retentionDays, storageGiB }) as { limits_config: Limits };
          const stored = (limits.ingestion_rate_mb * retentionDays * 86_400) / 4 / 1024;
          expect(stored).toBeLessThan(storageGiB * 0.71);
          expect(stored).toBeGreaterThan(storageGiB * 0.68);
          expect(limits.ingestion_burst_size_mb).toBeGreaterThanOrEqual(limits.ingestion_rate_mb);
          expect(limits.retention_period).toBe(`${retentionDays * 24}h`);
        },
      ),
    );
  });

  it("takes some 300 lines of 1 KB a second by default", () => {
    expect(sustainedMiB({ retentionDays: 7, storageGiB: 50 })).toBeCloseTo(0.237, 3);
  });
});

describe("the log collector", () => {
  const config = logCollectorConfig({ loki: "http://loki:3100" }) as CollectorConfig;

  it("reads the platform's pods with what was rotated, and neither others, itself nor archives", () => {
    const { include, exclude } = config.receivers.file_log;
    expect(include).toContain("/var/log/pods/inference-gateway_*/*/*.log*");
    expect(include).toContain("/var/log/pods/model-*_*/*/*.log*");
    expect(exclude).toEqual(["/var/log/pods/*/*/*.gz", "/var/log/pods/*/*/*.tmp"]);
    expect(include.filter((path) => /pods\/(\*|node-logs|kube-system|default)/.test(path))).toEqual([]);
  });

  it("waits for Loki with a bounded queue instead of losing lines", () => {
    const queue = config.exporters["otlp_http/loki"]?.sending_queue;
    expect(queue?.block_on_overflow).toBe(true);
    expect(queue?.queue_size).toBeLessThanOrEqual((LOG_COLLECTOR_MEMORY_MIB / 4) * 2 ** 20);
  });

  it("requests no more than plans leave on each node", () => {
    const allowance = nodeAgentRows.find(({ name }) => name === "log-collector");
    expect(LOG_COLLECTOR_REQUEST.cpu).toBeLessThanOrEqual(allowance?.cpu ?? 0);
    expect(LOG_COLLECTOR_REQUEST.memoryGiB * 1024).toBeLessThanOrEqual(allowance?.memoryMiB ?? 0);
  });
});
