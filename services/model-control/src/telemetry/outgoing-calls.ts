import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

/**
 * Creates a span for each HTTP call within a trace. Uses Node's diagnostics channels, as a bundle
 * prevents patching.
 */
export function traceCalls(): void {
  const tracer = trace.getTracer("model-control");
  const spans = new WeakMap<ClientRequest, Span>();
  subscribe("http.client.request.start", (message) => {
    const { request } = message as { readonly request: ClientRequest };
    if (trace.getSpan(context.active()) === undefined) {
      return;
    }
    const { method, host, path } = request;
    const attributes = {
      "http.request.method": method,
      "server.address": host,
      // Queries may contain confidential values.
      "url.path": path.split("?")[0],
    };
    const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes });
    spans.set(request, span);
    // Always emitted, also after errors; a pull's response ends with the pull.
    request.once("close", () => {
      if (request.errored !== null) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: request.errored.message });
      }
      span.end();
    });
  });
  subscribe("http.client.response.finish", (message) => {
    const { request, response } = message as { readonly request: ClientRequest; readonly response: IncomingMessage };
    const status = response.statusCode ?? 0;
    const span = spans.get(request)?.setAttribute("http.response.status_code", status);
    if (status >= 400) {
      span?.setStatus({ code: SpanStatusCode.ERROR });
    }
  });
}
