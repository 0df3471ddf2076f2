import { modelNamespaceName, NODE_LOGS_NAMESPACE, PLATFORM_NAMESPACES } from "../../names/namespaces";
import { type CollectorAddresses, collectorConfig } from "../core/otel-collector";
import { LOKI_TENANT } from "./names";

/** Memory limit, MiB. */
export const LOG_COLLECTOR_MEMORY_MIB = 512;

/** Part of node overhead (catalog/node-agents.json). */
export const LOG_COLLECTOR_REQUEST = { cpu: 0.05, memoryGiB: 0.25, ephemeralStorageGiB: 0.0625 } as const;

/** Where kubelets keep the log files of pods: `<namespace>_<pod>_<uid>/<container>/<restarts>.log`. */
export const POD_LOGS = "/var/log/pods";

/** Read positions, for restarts. */
export const OFFSETS = "/var/lib/otelcol";

/** A quarter of the memory. */
const QUEUE_BYTES = (LOG_COLLECTOR_MEMORY_MIB / 4) * 2 ** 20;

export interface LogCollectorArgs {
  /** Base URL of Loki. */
  readonly loki: string;
  readonly addresses?: CollectorAddresses;
  /** @default those of a node */
  readonly folders?: { readonly pods: string; readonly offsets: string };
}

/**
 * Only the platform's pods. While Loki is down, files wait; the kubelet compresses them after 2 of
 * 10 MiB by default. A new pod reads from the start: Loki drops equal lines. A killed container
 * loses its queue (open-telemetry/opentelemetry-collector-contrib#31074).
 */
export function logCollectorConfig({ loki, addresses, folders }: LogCollectorArgs): object {
  const { pods, offsets } = folders ?? { pods: POD_LOGS, offsets: OFFSETS };
  const models = modelNamespaceName("");
  // Patterns name no file twice.
  const namespaces = [
    ...PLATFORM_NAMESPACES.filter((name) => name !== NODE_LOGS_NAMESPACE && !name.startsWith(models)),
    `${models}*`,
  ];
  return collectorConfig(
    "logs",
    {
      memoryMiB: LOG_COLLECTOR_MEMORY_MIB,
      receivers: {
        file_log: {
          // Includes the last rotated file, which kubelets leave uncompressed.
          include: namespaces.map((namespace) => `${pods}/${namespace}_*/*/*.log*`),
          exclude: ["gz", "tmp"].map((ending) => `${pods}/*/*/*.${ending}`),
          include_file_path: true,
          include_file_name: false,
          start_at: "beginning",
          storage: "file_storage",
          max_log_size: "64KiB",
          // File names contain namespace, pod and container, so no API rights are needed.
          operators: [{ type: "container", add_metadata_from_filepath: true, max_log_size: "64KiB" }],
          retry_on_failure: { enabled: true, max_elapsed_time: "0s" },
        },
      },
      processors: {
        // Loki would store the time of reading, and lines read again would differ.
        transform: {
          error_mode: "propagate",
          log_statements: ["set(log.observed_time_unix_nano, log.time_unix_nano)"],
        },
      },
      exporters: {
        "otlp_http/loki": {
          endpoint: `${loki}/otlp`,
          headers: { [LOKI_TENANT.header]: LOKI_TENANT.value },
          sending_queue: { sizer: "bytes", queue_size: QUEUE_BYTES, block_on_overflow: true },
          retry_on_failure: { max_elapsed_time: "0s" },
        },
      },
      extensions: { file_storage: { directory: offsets } },
    },
    addresses,
  );
}
