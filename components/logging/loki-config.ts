/** One process on one volume, Loki 3.7. */
import { LOKI_PORTS } from "./names";

export const LOKI_DATA = "/var/loki";

export interface LokiArgs {
  readonly retentionDays: number;
  readonly storageGiB: number;
  /** @default as in its pod */
  readonly place?: { readonly host: string; readonly http: number; readonly grpc: number; readonly data: string };
}

/** The rest is for index, write-ahead log and compaction. */
const FILLED_SHARE = 0.7;
/** Minimum for JSON and text chunks; 5 to 10 is usual. */
const LEAST_COMPRESSION = 4;
const DAY_SECONDS = 86_400;

/** Rate that fills the volume's share within the retention. */
export function sustainedMiB({ retentionDays, storageGiB }: Pick<LokiArgs, "retentionDays" | "storageGiB">): number {
  return (storageGiB * 1024 * FILLED_SHARE * LEAST_COMPRESSION) / (retentionDays * DAY_SECONDS);
}

/** Minutes of the sustained rate, and above one collector request. */
function burstMiB(rate: number): number {
  return Math.max(16, Math.ceil(rate * 300));
}

const IN_POD = { host: "0.0.0.0", ...LOKI_PORTS, data: LOKI_DATA };

export function lokiConfig({ place = IN_POD, ...args }: LokiArgs): object {
  const { host, http, grpc, data } = place;
  const rate = sustainedMiB(args);
  return {
    // A tenant is no secret: NetworkPolicies restrict access.
    auth_enabled: true,
    analytics: { reporting_enabled: false },
    server: {
      http_listen_address: host,
      http_listen_port: http,
      grpc_listen_address: "127.0.0.1",
      grpc_listen_port: grpc,
      log_level: "warn",
      log_format: "json",
    },
    common: {
      path_prefix: data,
      replication_factor: 1,
      instance_addr: "127.0.0.1",
      ring: { instance_addr: "127.0.0.1", kvstore: { store: "inmemory" } },
      storage: { filesystem: { chunks_directory: `${data}/chunks`, rules_directory: `${data}/rules` } },
    },
    schema_config: {
      configs: [
        {
          from: "2026-01-01",
          store: "tsdb",
          object_store: "filesystem",
          schema: "v13",
          index: { prefix: "index_", period: "24h" },
        },
      ],
    },
    // Loki 3 keeps for ever by default.
    compactor: { retention_enabled: true, delete_request_store: "filesystem" },
    ingester: { wal: { replay_memory_ceiling: "512MB" } },
    limits_config: {
      retention_period: `${args.retentionDays * 24}h`,
      // A restart reads files from their start.
      reject_old_samples_max_age: `${args.retentionDays * 24}h`,
      ingestion_rate_mb: Number(rate.toPrecision(3)),
      ingestion_burst_size_mb: burstMiB(rate),
      max_line_size: "256KB",
      max_line_size_truncate: true,
      discover_service_name: [],
      discover_log_levels: false,
      otlp_config: {
        resource_attributes: {
          ignore_defaults: true,
          attributes_config: [
            { action: "index_label", attributes: ["k8s.namespace.name", "k8s.container.name"] },
            { action: "structured_metadata", attributes: ["k8s.pod.name"] },
            { action: "drop", regex: ".*" },
          ],
        },
        log_attributes: [{ action: "drop", regex: ".*" }],
        scope_attributes: [{ action: "drop", regex: ".*" }],
      },
    },
  };
}
