import { context, propagation } from "@opentelemetry/api";

/** `traceparent` of the current span; empty outside of a trace. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
