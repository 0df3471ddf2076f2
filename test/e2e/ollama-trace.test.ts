/** A request through the real gateway to a real Ollama: a trace of the gateway's spans alone, and no text of the request in any log. */
import { createServer } from "node:http";
import type { IPodMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRACE_COLLECTOR_RECEIVER } from "../../components/tracing/names";
import { CALLED_MODEL } from "../../names/gateway-times";
import { gatewayTargetName } from "../../names/scrape-jobs";
import { serviceFqdn } from "../../names/service-host";
import { MODEL_RELAY } from "../../names/services";
import { GatewayStand } from "../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../rehearsal/cluster/wait";
import { changedRun } from "../stacks/run";
import { emittedBy, leaks } from "./gateway/emitted";
import { passedTo } from "./gateway/passed-to";
import { type Ollama, type Registry, startOllama, startRegistry } from "./model-control/registry";
import { SpanBytes } from "./node/span-bytes";
import { type MonitorEndpoint, type RunningPrometheus, startPrometheus } from "./prometheus/running-prometheus";

/** The model of the environment, which Ollama serves. */
const MODEL = "assistant";
const PROMPT = "canary-prompt-5eed1e55";
const QUERY = "canary-query-0b5cu4e5";
/** Client to proxy, proxy to model, and two calls of the AI gateway's filter. */
const SPANS = 4;
const UNKNOWN = "canary-model-ba5e1e55";

let stand: GatewayStand;
let spans: SpanBytes;
let ollama: Ollama;
let registry: Registry;
let key: string;
let tokens: MonitorEndpoint;
let prometheus: RunningPrometheus | undefined;

beforeAll(async () => {
  const { resources, deployment } = await changedRun("dev", { tracing: {} });
  const monitors = deployment.ofKind("PodMonitor").map(({ inputs }) => inputs as Partial<IPodMonitor>);
  const monitor = monitors.find(({ metadata }) => metadata?.name === gatewayTargetName("tokens"));
  [tokens = {}] = monitor?.spec?.podMetricsEndpoints ?? [];
  [stand, ollama, registry] = await Promise.all([
    GatewayStand.start(resources, { proxies: 0 }),
    startOllama(),
    startRegistry(),
  ]);
  await ask(ollama, "pull", { model: registry.publish("tiny:latest"), insecure: true });
  await ask(ollama, "copy", { source: `${registry.host}/library/tiny:latest`, destination: MODEL });
  // A server on another port brings the name's address.
  const { address } = await stand.listen(TRACE_COLLECTOR_RECEIVER.host, 4399, createServer());
  spans = await SpanBytes.start(TRACE_COLLECTOR_RECEIVER.grpcPort, address);
  await stand.serve(MODEL, passedTo(Number(new URL(ollama.url).port)));
  // Of models that come at run time: it has none.
  const relay = createServer((request, response) => request.resume() && response.writeHead(404).end("{}"));
  await stand.listen(serviceFqdn(MODEL_RELAY, "model-control"), 1995, relay);
  await stand.startProxy();
  key = await stand.key("default");
}, 300_000);
afterAll(async () => {
  spans?.stop();
  await Promise.all([stand?.stop(), ollama?.stop(), registry?.stop(), prometheus?.stop()]);
}, 60_000);

async function ask({ url }: Ollama, call: string, body: object): Promise<void> {
  const answer = await fetch(`${url}/api/${call}`, {
    method: "POST",
    body: JSON.stringify({ ...body, stream: false }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

function chat(model: string, more: object = {}) {
  const json = { model, messages: [{ role: "user", content: PROMPT }], max_tokens: 2, ...more };
  return stand.request({ path: `/v1/chat/completions?api_key=${QUERY}`, json, consumer: "default" });
}

/** Logs and metrics of proxy and engine, and the spans. */
async function emitted(): Promise<Readonly<Record<string, string>>> {
  const [proxy] = stand.proxies;
  return {
    ...(proxy && (await emittedBy(proxy))),
    "log of Ollama": ollama.process.output(),
    spans: spans.bytes.toString("latin1"),
  };
}

describe("one request to a real Ollama", { timeout: 120_000 }, () => {
  it("has one trace, of the gateway's spans, with the id of the access log", async () => {
    const answer = await chat(MODEL);
    expect(answer.status, answer.text).toBe(200);
    const id = String(answer.headers["x-request-id"]);
    const line = await waitFor(
      "the access log",
      async () => stand.proxies[0]?.accessLog().find(({ request_id }) => request_id === id),
      30,
    );
    const traceId = String(line.trace_id);
    await waitFor("the spans", async () => (spans.spansOf(traceId) >= SPANS ? true : undefined), 30);
    // Envoy reports every 5 s: nothing else comes.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(spans.spansOf(traceId)).toBe(SPANS);
  });

  it("leaves neither text nor key in logs, metrics and spans, also where it fails", async () => {
    const failed = await Promise.all([
      chat(UNKNOWN),
      chat(MODEL, { max_tokens: PROMPT }),
      chat(MODEL, { messages: PROMPT }),
      chat(MODEL, { messages: [{ role: PROMPT, content: { [PROMPT]: PROMPT } }] }),
    ]);
    expect(failed.every(({ status }) => status >= 400)).toBe(true);
    expect(leaks(await emitted(), [PROMPT, QUERY, key])).toEqual([]);
  });

  it("adds no series to Prometheus for a model that a client made up", async () => {
    const metrics = await emitted();
    expect(leaks({ envoy: metrics["metrics of envoy"] ?? "" }, [UNKNOWN])).toEqual([]);
    expect(metrics["metrics of tokens"]).toContain(UNKNOWN);
    const { portNumber, path, metricRelabelings: relabelings } = tokens;
    const scrapes = `http://${stand.proxies[0]?.address}:${portNumber}${path}`;
    prometheus = await startPrometheus({ scrapes, relabelings });
    const values = `${prometheus.url}/api/v1/label/${CALLED_MODEL}/values`;
    const models = await waitFor("series of models", async () => {
      const { data } = (await (await fetch(values)).json()) as { readonly data: readonly string[] };
      return data.length > 0 ? data : undefined;
    });
    expect(models).toEqual([MODEL]);
  });
});
