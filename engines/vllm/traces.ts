import { otlpHttp } from "../../names/trace-receiver";
import type { Engine } from "../engine";
import { vllmHas } from "./releases";

const ENDPOINT = "otlp-traces-endpoint";

/**
 * Spans of requests that come with a `traceparent`, and by OpenTelemetry's default as their parent was sampled. The packages of OpenTelemetry
 * are among the release's own requirements since 0.14 (requirements/common.txt); before, `pip install` of them is up to the image.
 */
export const vllmTraces: NonNullable<Engine["traces"]> = (receiver, { name, engineVersion }) =>
  vllmHas(ENDPOINT, engineVersion)
    ? {
        args: { [ENDPOINT]: `${otlpHttp(receiver)}/v1/traces` },
        env: { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf", OTEL_SERVICE_NAME: name },
      }
    : undefined;
