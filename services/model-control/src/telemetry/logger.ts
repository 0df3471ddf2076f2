import { trace } from "@opentelemetry/api";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

/** Redacted in all logs. */
const SECRETS = [
  "authorization",
  "password",
  "token",
  "headers.authorization",
  "*.authorization",
  "*.password",
  "*.token",
];

/** Logs JSON lines to standard output, with the trace id. `LOG_LEVEL` sets the level. */
export function createLogger(destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level: process.env.LOG_LEVEL ?? "info",
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (level) => ({ level }) },
    redact: { paths: SECRETS, censor: "(hidden)" },
    base: { service: "model-control" },
    mixin: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
    serializers: {
      error: (error: unknown) => {
        if (!(error instanceof Error)) {
          return error;
        }
        const { message, stack, cause } = error;
        return { message, stack, cause: cause instanceof Error ? cause.message : cause };
      },
    },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
