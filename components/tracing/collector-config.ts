/** The configuration of the trace collector, as plain data. */
import { OTLP_PORTS, type TraceReceiver } from "../../names/trace-receiver";
import { type CollectorAddresses, collectorConfig } from "../core/otel-collector";
import { SPAN_ATTRIBUTES } from "./span-attributes";

/** Which traces are kept. */
export interface TraceSampling {
  /** Of all traces, by their ids: the same for every span of one. */
  readonly percent: number;
  /** Requests that took longer are kept too, seconds. @default none */
  readonly slowSeconds?: number;
}

/** Where kept traces go. */
export type TraceStore =
  /** The platform's Jaeger, by OTLP over gRPC. */
  | { readonly kind: "jaeger"; readonly endpoint: string }
  /** A server outside, by OTLP over HTTP. */
  | { readonly kind: "otlp"; readonly url: string; readonly hasToken: boolean };

/** Variable with the token of a server outside. */
export const TRACE_TOKEN = "TRACE_TOKEN";

/** Memory limit of the collector, MiB. */
export const TRACE_COLLECTOR_MEMORY_MIB = 1024;

/**
 * Engine, node and gateway report within a second or two of the request's end. Later spans follow
 * the remembered decision.
 */
const DECISION_SECONDS = 10;
/** Some 10 spans of 1 KiB each: a third of the memory. */
const WAITING_TRACES = 30_000;
const REMEMBERED_DECISIONS = 100_000;

/** For an unavailable store: a quarter of the memory. */
const QUEUE_BYTES = (TRACE_COLLECTOR_MEMORY_MIB / 4) * 2 ** 20;

export interface TraceCollectorArgs {
  readonly sampling: TraceSampling;
  readonly store: TraceStore;
  readonly addresses?: CollectorAddresses & { readonly otlp?: Pick<TraceReceiver, "grpcPort" | "httpPort"> };
}

export function traceCollectorConfig({ sampling, store, addresses = {} }: TraceCollectorArgs): object {
  const { host = "0.0.0.0", otlp = OTLP_PORTS } = addresses;
  return collectorConfig(
    "traces",
    {
      memoryMiB: TRACE_COLLECTOR_MEMORY_MIB,
      receivers: {
        otlp: {
          protocols: {
            grpc: { endpoint: `${host}:${otlp.grpcPort}` },
            http: { endpoint: `${host}:${otlp.httpPort}` },
          },
        },
      },
      processors: { ...PRIVACY, ...tailSampling(sampling) },
      exporters: exporters(store),
    },
    addresses,
  );
}

/**
 * No prompts, answers, keys or query strings. Removes clients' `tracestate` and status messages,
 * which may quote them.
 */
const PRIVACY = {
  redaction: { allow_all_keys: false, allowed_keys: SPAN_ATTRIBUTES, summary: "silent" },
  transform: {
    // What cannot be cleaned is not passed on.
    error_mode: "propagate",
    trace_statements: ['set(span.status.message, "")', 'set(span.trace_state, "")'],
  },
} as const;

/** One collector judges whole traces; where all are kept, none waits. */
function tailSampling({ percent, slowSeconds }: TraceSampling): Readonly<Record<string, object>> {
  if (percent >= 100) {
    return {};
  }
  return {
    tail_sampling: {
      decision_wait: `${DECISION_SECONDS}s`,
      num_traces: WAITING_TRACES,
      decision_cache: { sampled_cache_size: REMEMBERED_DECISIONS, non_sampled_cache_size: REMEMBERED_DECISIONS },
      policies: [
        { name: "errors", type: "status_code", status_code: { status_codes: ["ERROR"] } },
        ...(slowSeconds === undefined
          ? []
          : [{ name: "slow", type: "latency", latency: { threshold_ms: slowSeconds * 1000 } }]),
        { name: "share", type: "probabilistic", probabilistic: { sampling_percentage: percent } },
      ],
    },
  };
}

/** What does not fit into the queue is dropped: no sender ever waits for a store. */
const SENDING = {
  sending_queue: { sizer: "bytes", queue_size: QUEUE_BYTES, block_on_overflow: false },
  retry_on_failure: { max_elapsed_time: "300s" },
} as const;

function exporters(store: TraceStore): Readonly<Record<string, object>> {
  return store.kind === "jaeger"
    ? { "otlp_grpc/jaeger": { endpoint: store.endpoint, tls: { insecure: true }, ...SENDING } }
    : {
        "otlp_http/outside": {
          endpoint: store.url,
          ...(store.hasToken && { headers: { Authorization: `Bearer \${env:${TRACE_TOKEN}}` } }),
          ...SENDING,
        },
      };
}
