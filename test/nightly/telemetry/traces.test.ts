/** Spans through the real collector: what is kept, what is removed, and what a store that is away costs. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRACE_COLLECTOR_MEMORY_MIB } from "../../../components/tracing/collector-config";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { startTraceReceiver, type TraceReceiver } from "../../e2e/model-control/trace-receiver";
import { type RunningTraceCollector, residentBytes, startTraceCollector } from "./parts";

const CANARY = "canary-51c0ffee";

interface SpanOf {
  readonly traceId?: string;
  readonly failed?: boolean;
  readonly seconds?: number;
  readonly text?: string;
}

function otlp(spans: readonly SpanOf[]): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  const text = (value: string) => ({ stringValue: value });
  return JSON.stringify({
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: "service.name", value: text("inference") },
            { key: "process.command", value: text(CANARY) },
          ],
        },
        scopeSpans: [
          {
            spans: spans.map(({ traceId = id(16), failed, seconds = 0.1, text: more = "" }) => ({
              traceId,
              spanId: id(8),
              name: "ingress",
              kind: 2,
              startTimeUnixNano: String(now - BigInt(Math.round(seconds * 1e9))),
              endTimeUnixNano: String(now),
              traceState: `vendor=${CANARY}`,
              attributes: [
                { key: "url.path", value: text("/v1/chat/completions") },
                { key: "http.url", value: text(`https://host/v1?key=${CANARY}`) },
                { key: "gen_ai.prompt", value: text(CANARY + more) },
              ],
              events: [
                {
                  timeUnixNano: String(now),
                  name: "exception",
                  attributes: [{ key: "exception.message", value: text(CANARY) }],
                },
              ],
              status: failed ? { code: 2, message: CANARY } : {},
            })),
          },
        ],
      },
    ],
  });
}

function id(bytes: number): string {
  return randomBytes(bytes).toString("hex");
}

async function send({ otlp: { httpPort } }: RunningTraceCollector, spans: readonly SpanOf[]): Promise<number> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${httpPort}/v1/traces`, { method: "POST", headers, body: otlp(spans) });
  await answer.text();
  return answer.status;
}

let store: TraceReceiver;
let collector: RunningTraceCollector;

beforeAll(async () => {
  store = await startTraceReceiver();
});
afterAll(async () => {
  await store?.stop();
});

describe("a collector that keeps all traces", () => {
  beforeAll(async () => {
    collector = await startTraceCollector(store.url);
  });
  afterAll(() => collector?.stop());

  it("removes what is in no list, wherever it stands in a span", async () => {
    const traceId = id(16);
    expect(await send(collector, [{ traceId, failed: true }])).toBe(200);
    const span = await waitFor("the span", async () => store.spans().find((each) => each.traceId === traceId), 20);
    expect(JSON.stringify(span)).toContain("/v1/chat/completions");
    expect(JSON.stringify(store.spans())).not.toContain(CANARY);
  });
});

describe("a collector that samples", () => {
  beforeAll(async () => {
    collector = await startTraceCollector(store.url, { percent: 10, slowSeconds: 2 });
  });
  afterAll(() => collector?.stop());

  it("keeps errors and slow traces, and of the rest a share", async () => {
    const ids = (count: number) => Array.from({ length: count }, () => id(16));
    const [failed, slow, rest] = [ids(20), ids(20), ids(400)];
    await send(
      collector,
      failed.map((traceId) => ({ traceId, failed: true })),
    );
    await send(
      collector,
      slow.map((traceId) => ({ traceId, seconds: 3 })),
    );
    await send(
      collector,
      rest.map((traceId) => ({ traceId })),
    );
    const kept = (all: readonly string[]) => {
      const stored = new Set(store.spans().map(({ traceId }) => traceId));
      return all.filter((each) => stored.has(each)).length;
    };
    await waitFor("the decisions", async () => (kept(failed) === 20 && kept(slow) === 20 ? true : undefined), 60);
    expect(kept(rest)).toBeGreaterThan(10);
    expect(kept(rest)).toBeLessThan(90);
  });
});

describe("a collector without its store", () => {
  beforeAll(async () => {
    collector = await startTraceCollector("http://127.0.0.1:9");
  });
  afterAll(() => collector?.stop());

  it("takes or refuses spans at once, within its memory", async () => {
    const times: number[] = [];
    // 400 MiB of spans.
    for (let round = 0; round < 200; round += 1) {
      const started = Date.now();
      await send(
        collector,
        Array.from({ length: 20 }, () => ({ text: "x".repeat(100_000) })),
      );
      times.push(Date.now() - started);
    }
    expect(await residentBytes(collector)).toBeLessThan(TRACE_COLLECTOR_MEMORY_MIB * 2 ** 20);
    expect(times.sort((a, b) => a - b)[180]).toBeLessThan(2000);
  }, 300_000);
});
