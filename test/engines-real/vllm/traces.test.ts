/** A request through the real gateway to a real vLLM: one trace, the same id in log and Loki, and no text of the request in any of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRACE_COLLECTOR_RECEIVER } from "../../../components/tracing/names";
import { engineOf } from "../../../engines";
import { vllmTraces } from "../../../engines/vllm/traces";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { emittedBy, leaks } from "../../e2e/gateway/emitted";
import { passedTo } from "../../e2e/gateway/passed-to";
import { startTraceReceiver, type TraceReceiver } from "../../e2e/model-control/trace-receiver";
import type { Stand } from "../../e2e/model-store/stand";
import { documentedQuery, linesIn } from "../../nightly/telemetry/documented-query";
import {
  criLine,
  type Running,
  type RunningLoki,
  type RunningTraceCollector,
  startLogCollector,
  startLoki,
  startTraceCollector,
} from "../../nightly/telemetry/parts";
import { changedRun } from "../../stacks/run";
import { makeTinyModel } from "./tiny-model";
import { startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

/** The model of the environment, which plays the tiny one here. */
const MODEL = "assistant";
const PROMPT = "canary-prompt-7ea5e1ed";
const QUERY = "canary-query-7ab1e7a5";

const pods = mkdtempSync(join(tmpdir(), "inference-stacks-pods-"));

let store: Stand;
let vllm: VllmProcess;
let gateway: GatewayStand;
let receiver: TraceReceiver;
let traces: RunningTraceCollector;
let loki: RunningLoki | undefined;
let logs: Running | undefined;
let key: string;

beforeAll(async () => {
  const { resources } = await changedRun("dev", { tracing: {}, logging: {} });
  gateway = await GatewayStand.start(resources, { proxies: 0 });
  receiver = await startTraceReceiver();
  // A server on another port brings the name's address, at which the collector listens.
  const { address } = await gateway.listen(TRACE_COLLECTOR_RECEIVER.host, 4399, createServer());
  traces = await startTraceCollector(receiver.url, { percent: 100 }, address, TRACE_COLLECTOR_RECEIVER);

  const tiny = makeTinyModel();
  const plan = tinyPlan(tiny, { servedName: MODEL });
  const told = vllmTraces({ ...TRACE_COLLECTOR_RECEIVER, host: address }, plan);
  const model = { ...plan, args: { ...plan.args, ...told?.args }, env: { ...plan.env, ...told?.env } };
  store = await startStand(model, tiny);
  const [port = 0] = await freePorts(1);
  const volumes = { "/models/current": await weightsFolder(store, model) };
  vllm = new VllmProcess(store.platform.engine(model.name, "vllm"), { port, volumes });
  await vllm.until(engineOf("vllm").health.ready);
  await gateway.serve(MODEL, passedTo(port));
  await gateway.startProxy();
  key = await gateway.key("default");
}, 1_200_000);
afterAll(async () => {
  await Promise.all([logs?.stop(), loki?.stop(), traces?.stop(), gateway?.stop(), vllm?.stop()]);
  await Promise.all([store?.stop(), receiver?.stop()]);
  rmSync(pods, { recursive: true, force: true });
}, 120_000);

function chat(more: object = {}) {
  const json = { model: MODEL, messages: [{ role: "user", content: PROMPT }], max_tokens: 2, ...more };
  return gateway.request({ path: `/v1/chat/completions?api_key=${QUERY}`, json, consumer: "default" });
}

describe("one request to a real vLLM", { timeout: 300_000 }, () => {
  let requestId: string;
  let traceId: string;

  it("has one trace of gateway and engine, with the id of the access log", async () => {
    const answer = await chat();
    expect(answer.status, answer.text).toBe(200);
    requestId = String(answer.headers["x-request-id"]);
    const line = await waitFor(
      "the access log",
      async () => gateway.proxies[0]?.accessLog().find(({ request_id }) => request_id === requestId),
      30,
    );
    traceId = String(line.trace_id);
    const spans = () => receiver.spans().filter((span) => span.traceId === traceId);
    await waitFor("vLLM's span", async () => spans().find(({ name }) => name === "llm_request"), 60);
    await waitFor("the gateway's", async () => spans().find(({ name }) => name === "ingress"), 30);
    const ids = new Set(spans().map(({ spanId }) => spanId));
    expect(spans().filter(({ parentSpanId }) => ids.has(parentSpanId ?? ""))).toHaveLength(spans().length - 1);
  });

  it("leaves neither text nor key in logs, metrics and spans, also where the engine refuses", async () => {
    const refused = await Promise.all([
      chat({ temperature: -1 }),
      chat({ max_tokens: 1_000_000 }),
      chat({ messages: [{ role: "user", content: PROMPT.repeat(2000) }] }),
      chat({ guided_regex: `(${PROMPT}` }),
    ]);
    expect(refused.some(({ status }) => status === 400)).toBe(true);
    const [proxy] = gateway.proxies;
    const emitted = {
      ...(proxy && (await emittedBy(proxy))),
      "log of vLLM": vllm.output(),
      "metrics of vLLM": await vllm.text("/metrics"),
      spans: JSON.stringify(receiver.spans()),
      collector: `${traces.process.output()}${await traces.metrics()}`,
    };
    expect(leaks(emitted, [PROMPT, QUERY, key])).toEqual([]);
  });

  it("is found in Loki by the documented command, by its id and by its trace's", async () => {
    loki = await startLoki();
    const file = join(pods, "inference-gateway_inference-0_0a1b2c3d-0000-4000-8000-000000000000", "envoy", "0.log");
    mkdirSync(dirname(file), { recursive: true });
    const lines = gateway.proxies[0]?.accessLog() ?? [];
    writeFileSync(file, lines.map((each) => criLine(JSON.stringify(each))).join(""));
    logs = await startLogCollector(loki.url, pods);
    const { url } = loki;
    for (const id of [requestId, traceId]) {
      const found = await waitFor(
        "Loki's line",
        async () => {
          const all = await linesIn(url, documentedQuery(id));
          return all.length > 0 ? all : undefined;
        },
        60,
      );
      expect(found.map(({ text }) => JSON.parse(text).request_id)).toEqual([requestId]);
    }
  });
});
