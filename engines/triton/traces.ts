import { otlpHttp } from "../../names/trace-receiver";
import type { Engine } from "../engine";

/**
 * Traces only requests with a `traceparent`, which is rate 0 (server r26.07,
 * docs/user_guide/trace.md). Never tensors.
 */
export const tritonTraces: NonNullable<Engine["traces"]> = (receiver, { name }) => ({
  args: {
    "trace-config": [
      "mode=opentelemetry",
      "rate=0",
      "level=TIMESTAMPS",
      `opentelemetry,url=${otlpHttp(receiver)}/v1/traces`,
      `opentelemetry,resource=service.name=${name}`,
    ],
  },
  env: {},
});
