import { context, propagation } from "@opentelemetry/api";

/** `traceparent` of the span that runs now, by which a server continues its trace; none outside of a trace, and without tracing. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
