/**
 * One request through the real gateway: one trace in its spans, the access log, the engine's headers and Loki, without the prompt and the key
 * anywhere. Jaeger's place has a receiver of the test, and the engine's a server that notes its headers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRACE_COLLECTOR_RECEIVER } from "../../../components/tracing/names";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { emittedBy, leaks } from "../../e2e/gateway/emitted";
import { startTraceReceiver, type TraceReceiver } from "../../e2e/model-control/trace-receiver";
import { changedRun } from "../../stacks/run";
import { documentedQuery, linesIn } from "./documented-query";
import {
  criLine,
  type Running,
  type RunningLoki,
  type RunningTraceCollector,
  startLogCollector,
  startLoki,
  startTraceCollector,
} from "./parts";

const PROMPT = "canary-prompt-e57a11ed";
const ANSWER = "canary-answer-0dd5eeds";
const QUERY = "canary-query-ba5eba11";
const MODEL = "assistant";

const pods = mkdtempSync(join(tmpdir(), "inference-stacks-pods-"));
const seen: IncomingHttpHeaders[] = [];

let stand: GatewayStand;
let store: TraceReceiver;
let traces: RunningTraceCollector;
let loki: RunningLoki;
let logs: Running;
let key: string;
/** Of the first request, as the engine has it. */
let requestId: string;

beforeAll(async () => {
  const { resources } = await changedRun("dev", { tracing: {}, logging: {} });
  stand = await GatewayStand.start(resources, { proxies: 0 });
  store = await startTraceReceiver();
  // A server on another port brings the name's address, at which the collector listens.
  const { address } = await stand.listen(TRACE_COLLECTOR_RECEIVER.host, 4399, createServer());
  traces = await startTraceCollector(store.url, { percent: 100 }, address, TRACE_COLLECTOR_RECEIVER);
  await stand.serve(MODEL, (request, response) => {
    seen.push(request.headers);
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    const choices = [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }];
    const body = { id: "1", object: "chat.completion", created: 1, model: MODEL, choices, usage };
    request.resume().once("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await stand.startProxy();
  key = await stand.key("default");
}, 600_000);
afterAll(async () => {
  await Promise.all([logs?.stop(), loki?.stop(), traces?.stop(), stand?.stop()]);
  await store?.stop();
  rmSync(pods, { recursive: true, force: true });
}, 120_000);

async function ask(headers: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: PROMPT }] });
  const asked = { path: `/v1/chat/completions?api_key=${QUERY}`, method: "POST", consumer: "default" };
  return stand.request({ ...asked, headers: { "content-type": "application/json", ...headers }, body });
}

/** Texts and keys of the request are in none of these. */
function secretFree(emitted: Readonly<Record<string, string>>): void {
  expect(leaks(emitted, [PROMPT, ANSWER, QUERY, key])).toEqual([]);
}

describe("one request through the real gateway", () => {
  it("has one trace in spans, log, engine and Loki, and leaves neither text nor key in them", async () => {
    const answer = await ask({ "user-agent": QUERY });
    expect(answer.status).toBe(200);
    requestId = String(seen.at(-1)?.["x-request-id"]);
    expect(answer.headers["x-request-id"]).toBe(requestId);
    const [proxy] = stand.proxies;
    const line = await waitFor(
      "the access log",
      async () => proxy?.accessLog().find(({ request_id }) => request_id === requestId),
      30,
    );
    const traceId = String(line.trace_id);
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(line).toMatchObject({ tenant: "default", model: MODEL, status: 200, input_tokens: 3, output_tokens: 4 });
    expect(seen.at(-1)?.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));

    const spans = await waitFor(
      "the spans",
      async () => {
        const own = store.spans().filter((span) => span.traceId === traceId);
        return own.length >= 2 ? own : undefined;
      },
      30,
    );
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId }) => ids.has(parentSpanId ?? ""))).toHaveLength(spans.length - 1);

    secretFree({
      spans: JSON.stringify(store.spans()),
      ...(proxy && (await emittedBy(proxy))),
      collector: `${traces.process.output()}${await traces.metrics()}`,
    });
  });

  it("continues the trace of its client, whatever that says of sampling", async () => {
    const theirs = "0af7651916cd43dd8448eb211c80319c";
    await ask({ traceparent: `00-${theirs}-b7ad6b7169203331-00` });
    await waitFor("their trace", async () => store.spans().find(({ traceId }) => traceId === theirs), 30);
  });

  it("takes no longer while the collector is away", async () => {
    const median = async () => {
      const times: number[] = [];
      for (let count = 0; count < 15; count += 1) {
        const started = performance.now();
        expect((await ask()).status).toBe(200);
        times.push(performance.now() - started);
      }
      return times.sort((a, b) => a - b)[7] ?? 0;
    };
    const before = await median();
    await traces.process.kill();
    const after = await median();
    expect(after).toBeLessThan(2 * before + 20);
  });

  it("is found in Loki by the documented command, by its id and by its trace's", async () => {
    loki = await startLoki();
    logs = await startLogCollector(loki.url, pods);
    const lines = stand.proxies[0]?.accessLog() ?? [];
    const file = join(pods, "inference-gateway_inference-0_0a1b2c3d-0000-4000-8000-000000000000", "envoy", "0.log");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.map((each) => criLine(JSON.stringify(each))).join(""));
    const traceId = lines.find(({ request_id }) => request_id === requestId)?.trace_id;
    for (const id of [requestId, String(traceId)]) {
      const found = await waitFor(
        "Loki's line",
        async () => {
          const all = await linesIn(loki.url, documentedQuery(id));
          return all.length > 0 ? all : undefined;
        },
        60,
      );
      expect(found.map(({ text }) => JSON.parse(text).request_id)).toEqual([requestId]);
    }
    secretFree({
      loki: JSON.stringify(await linesIn(loki.url, '{k8s_namespace_name=~".+"}')),
      collector: `${logs.process.output()}${await logs.metrics()}`,
    });
  });
});
