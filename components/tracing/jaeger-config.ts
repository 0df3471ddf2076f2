/** The configuration of Jaeger 2, as plain data: an OpenTelemetry collector with a store (jaegertracing/jaeger, cmd/jaeger/config-badger.yaml). */
import { JAEGER_PORTS } from "./names";

export const JAEGER_DATA = "/data";

/** @param retentionDays for how long traces are kept. */
export function jaegerConfig(retentionDays: number): object {
  const at = (port: number) => `0.0.0.0:${port}`;
  return {
    service: {
      extensions: ["jaeger_storage", "jaeger_query", "healthcheckv2"],
      pipelines: { traces: { receivers: ["otlp"], processors: ["batch"], exporters: ["jaeger_storage_exporter"] } },
      telemetry: {
        logs: { level: "warn" },
        metrics: {
          readers: [{ pull: { exporter: { prometheus: { host: "0.0.0.0", port: JAEGER_PORTS.metrics } } } }],
        },
      },
    },
    extensions: {
      healthcheckv2: { use_v2: true, http: { endpoint: at(JAEGER_PORTS.health) } },
      jaeger_query: { storage: { traces: "traces" }, http: { endpoint: at(JAEGER_PORTS.query) } },
      jaeger_storage: {
        backends: {
          traces: {
            badger: {
              directories: { keys: `${JAEGER_DATA}/keys`, values: `${JAEGER_DATA}/values` },
              ephemeral: false,
              ttl: { spans: `${retentionDays * 24}h` },
            },
          },
        },
      },
    },
    receivers: { otlp: { protocols: { grpc: { endpoint: at(JAEGER_PORTS.otlp) } } } },
    processors: { batch: {} },
    exporters: { jaeger_storage_exporter: { trace_storage: "traces" } },
  };
}
