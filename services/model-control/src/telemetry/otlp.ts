import { FastifyOtelInstrumentation } from "@fastify/otel";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { traceCalls } from "./outgoing-calls";
import type { Tracing } from "./tracing";

/** Frequently polled paths, not traced. */
const PROBES = ["/livez", "/readyz", "/health"];

/**
 * Exports spans of requests, tasks and engine calls.
 *
 * @param endpoint OTLP/HTTP address without `/v1/traces`.
 */
export function startOtlp(endpoint: string, version: string): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ "service.name": "model-control", "service.version": version }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` })),
    ],
  });
  provider.register();
  traceCalls();
  const requests = new FastifyOtelInstrumentation({
    ignorePaths: ({ url }) => PROBES.includes(url),
    instrumentHooks: false,
    instrumentHandler: false,
  });
  requests.setTracerProvider(provider);
  return {
    instrument: async (server) => {
      await server.register(requests.plugin());
    },
    close: () => provider.shutdown(),
  };
}
