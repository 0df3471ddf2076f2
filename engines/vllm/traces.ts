import { otlpHttp } from "../../names/trace-receiver";
import type { Engine } from "../engine";
import { vllmHas } from "./releases";

const ENDPOINT = "otlp-traces-endpoint";

/**
 * Traces requests with a `traceparent`, sampled as their parent by OpenTelemetry's default.
 * OpenTelemetry packages are requirements since 0.14 (requirements/common.txt); before, the image
 * must install them.
 */
export const vllmTraces: NonNullable<Engine["traces"]> = (receiver, { name, engineVersion }) =>
  vllmHas(ENDPOINT, engineVersion)
    ? {
        args: { [ENDPOINT]: `${otlpHttp(receiver)}/v1/traces` },
        env: { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf", OTEL_SERVICE_NAME: name },
      }
    : undefined;
