import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingMessage } from "node:http";
import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";

/**
 * Makes a span of every HTTP call that belongs to a trace: calls of engines and of Kubernetes. Node tells about its calls
 * itself, so nothing has to be patched, which a bundle would not allow.
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
      // A query may hold what is not for others.
      "url.path": path.split("?")[0],
    };
    const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes });
    spans.set(request, span);
    // Comes in every case, after an error as well; the answer of a pull ends with the pull.
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
