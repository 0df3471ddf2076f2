import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TRACE_COLLECTOR_MEMORY_MIB, traceCollectorConfig } from "../../../components/tracing/collector-config";
import { SPAN_ATTRIBUTES } from "../../../components/tracing/span-attributes";

interface Config {
  readonly processors: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly exporters: Readonly<Record<string, { readonly headers?: object; readonly sending_queue: Queue }>>;
  readonly service: { readonly pipelines: { readonly traces: { readonly processors: readonly string[] } } };
}

interface Queue {
  readonly queue_size: number;
  readonly block_on_overflow: boolean;
}

const jaeger = { kind: "jaeger", endpoint: "jaeger.tracing.svc:4317" } as const;

function config(percent: number, slowSeconds?: number): Config {
  const sampling = { percent, ...(slowSeconds !== undefined && { slowSeconds }) };
  return traceCollectorConfig({ sampling, store: jaeger }) as Config;
}

describe("the trace collector", () => {
  it("limits memory first, removes attributes before it judges traces, and batches last", () => {
    expect(config(10).service.pipelines.traces.processors).toEqual([
      "memory_limiter",
      "redaction",
      "transform",
      "tail_sampling",
      "batch",
    ]);
  });

  it("judges no traces where all are kept", () => {
    expect(Object.keys(config(100, 5).processors)).not.toContain("tail_sampling");
  });

  it("keeps errors whatever the share, and slow requests where they are asked for", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 99.9, noNaN: true }),
        fc.option(fc.integer({ min: 1, max: 3600 }), { nil: undefined }),
        (percent, slowSeconds) => {
          const { policies } = config(percent, slowSeconds).processors.tail_sampling as {
            policies: { type: string }[];
          };
          expect(policies.map(({ type }) => type)).toEqual([
            "status_code",
            ...(slowSeconds === undefined ? [] : ["latency"]),
            "probabilistic",
          ]);
        },
      ),
    );
  });

  it("keeps the attributes of one list alone, which holds no text of requests", () => {
    expect(config(10).processors.redaction).toMatchObject({ allow_all_keys: false, allowed_keys: SPAN_ATTRIBUTES });
    const texts =
      /prompt$|completion$|content|message|input$|output$|http\.url|url\.(full|query)|user_agent|header|authorization/;
    expect(SPAN_ATTRIBUTES.filter((name) => texts.test(name))).toEqual([]);
  });

  it("drops what its store does not take, within its memory", () => {
    const queues = Object.values(config(10).exporters).map(({ sending_queue }) => sending_queue);
    for (const { queue_size, block_on_overflow } of queues) {
      expect(block_on_overflow).toBe(false);
      expect(queue_size).toBeLessThanOrEqual(TRACE_COLLECTOR_MEMORY_MIB * 2 ** 20 * 0.25);
    }
    expect(queues).toHaveLength(1);
  });

  it("reads the token of a server outside from its environment", () => {
    const store = { kind: "otlp", url: "https://otlp.example.com", hasToken: true } as const;
    const { exporters } = traceCollectorConfig({ sampling: { percent: 100 }, store }) as Config;
    expect(exporters["otlp_http/outside"]?.headers).toEqual({ Authorization: `Bearer \${env:TRACE_TOKEN}` });
  });
});
