/** Shared parts of OpenTelemetry collectors. For 0.158. */
import { image } from "../../catalog/images";
import type { HardenedContainer } from "./hardened-pod";
import { burstable } from "./resources";

/**
 * User of the image (opentelemetry-collector-releases, distributions/otelcol-contrib/Dockerfile).
 */
export const COLLECTOR_USER = 10_001;

export const COLLECTOR_PORTS = { metrics: 8888, health: 13_133 } as const;

/** Mount path of the configuration. */
export const COLLECTOR_FOLDER = "/etc/otelcol";
export const COLLECTOR_FILE = "config.json";

/** By collector name: `type` or `type/name`. */
type Parts = Readonly<Record<string, object>>;

export interface CollectorArgs {
  readonly memoryMiB: number;
  readonly receivers: Parts;
  /** In order, between memory limiter and batch. @default none */
  readonly processors?: Parts;
  readonly exporters: Parts;
  /** Besides the health check. @default none */
  readonly extensions?: Parts;
}

/** Listen addresses; tests override them. */
export interface CollectorAddresses {
  /** @default all addresses of the pod */
  readonly host?: string;
  /** @default COLLECTOR_PORTS */
  readonly ports?: { readonly metrics: number; readonly health: number };
}

/** Memory share at which the limiter refuses data; the rest is for data in flight. */
const LIMIT_SHARE = 0.8;
const SPIKE_SHARE = 0.2;

export function collectorConfig(
  signal: "traces" | "logs",
  { memoryMiB, receivers, processors = {}, exporters, extensions = {} }: CollectorArgs,
  { host = "0.0.0.0", ports = COLLECTOR_PORTS }: CollectorAddresses = {},
): object {
  const working: Parts = {
    // First, so that refused data stays with the sender and in no processor.
    memory_limiter: {
      check_interval: "1s",
      limit_mib: Math.floor(memoryMiB * LIMIT_SHARE),
      spike_limit_mib: Math.floor(memoryMiB * SPIKE_SHARE),
    },
    ...processors,
    batch: { timeout: "1s", send_batch_size: 1024, send_batch_max_size: 2048 },
  };
  const around: Parts = { health_check: { endpoint: `${host}:${ports.health}` }, ...extensions };
  return {
    extensions: around,
    receivers,
    processors: working,
    exporters,
    service: {
      extensions: Object.keys(around),
      pipelines: {
        [signal]: {
          receivers: Object.keys(receivers),
          processors: Object.keys(working),
          exporters: Object.keys(exporters),
        },
      },
      telemetry: {
        logs: { level: "warn", encoding: "json" },
        // Names as in their source: releases before 0.152 appended types where a reader is configured.
        metrics: {
          readers: [{ pull: { exporter: { prometheus: { host, port: ports.metrics, without_type_suffix: true } } } }],
        },
      },
    },
  };
}

export interface CollectorContainerArgs {
  readonly request: { readonly cpu: number; readonly memoryGiB: number; readonly ephemeralStorageGiB?: number };
  /** CPU burst limit. */
  readonly burstCpu: number;
  readonly memoryMiB: number;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: HardenedContainer["env"];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
  readonly writablePaths?: readonly string[];
}

/** Go's soft limit in a container of so many MiB, as it takes it. */
export function goMemoryLimit(memoryMiB: number): string {
  return `${Math.floor(memoryMiB * LIMIT_SHARE)}MiB`;
}

/** Collector container; `config` is the volume with the configuration. */
export function collectorContainer(config: string, args: CollectorContainerArgs): HardenedContainer {
  const { request, burstCpu, memoryMiB, ports = [], env = [], volumeMounts = [], writablePaths } = args;
  return {
    name: "collector",
    image: image("otel-collector"),
    args: [`--config=${COLLECTOR_FOLDER}/${COLLECTOR_FILE}`],
    // Go frees memory before the limiter refuses data.
    env: [{ name: "GOMEMLIMIT", value: goMemoryLimit(memoryMiB) }, ...(env as { name: string; value: string }[])],
    ports: [
      ...ports,
      { name: "metrics", containerPort: COLLECTOR_PORTS.metrics },
      { name: "health", containerPort: COLLECTOR_PORTS.health },
    ],
    volumeMounts: [{ name: config, mountPath: COLLECTOR_FOLDER, readOnly: true }, ...volumeMounts],
    ...(writablePaths && { writablePaths }),
    resources: burstable(request, { cpu: burstCpu, memoryGiB: memoryMiB / 1024 }),
    readinessProbe: { httpGet: { path: "/", port: "health" }, periodSeconds: 10, timeoutSeconds: 5 },
    livenessProbe: {
      httpGet: { path: "/", port: "health" },
      periodSeconds: 20,
      timeoutSeconds: 5,
      failureThreshold: 6,
    },
  };
}
