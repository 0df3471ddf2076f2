/**
 * To zero and back: what the real gateway counts wakes a model, by the trigger that the environment renders, in a real Prometheus and
 * the real KEDA. Replicas are played: what matters is how many there are.
 */
import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { wakeQuery } from "../../../components/autoscaling/wake-signal";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { seriesOf } from "../../../engines/metrics";
import { MODEL_NAMESPACE_SERIES, READY_REPLICAS_SERIES } from "../../../names/recorded-series";
import { serviceFqdn } from "../../../names/service-host";
import type * as Scaling from "../../../planner/scaling";
import { tenantsOf } from "../../../planner/tenants";
import type { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { changedRun, type ProgramRun } from "../../stacks/run";
import { completion } from "../gateway/replicas";
import { standOf } from "../gateway/stand-of";
import { sharedBySuite } from "../shared-by-suite";
import { GATEWAY_TARGET, GatewaySeries } from "./gateway-series";
import { bringUpModels } from "./platform";
import { ScaledModelState } from "./scaled-model-state";
import { AutoscalingStand } from "./stand";

/** Seconds of a plan for a model that loads at once: all that is rendered comes of the plan. */
const POLL = 1;
const COLD_START = 2;
const IDLE = 3;

vi.mock("../../../planner/scaling", async (original) => {
  const scaling = await original<typeof Scaling>();
  const planScaling: typeof Scaling.planScaling = (...args) => {
    const planned = scaling.planScaling(...args);
    return (
      planned && {
        ...planned,
        pollSeconds: POLL,
        scaleDownWindowSeconds: POLL,
        coldStartSeconds: COLD_START,
        idleSeconds: IDLE,
        spikeToServed: { ...planned.spikeToServed, scrape: 1 },
      }
    );
  };
  return { ...scaling, planScaling };
});

/** Window of queries that this file asks itself: some readings of a proxy. */
const SEEN_SECONDS = 4;

const node = { group: "cluster", port: 8080, metrics: [] };
const chat = endpoint("chat", { node });
const next = endpoint("next", { servedName: "chat", node, revisionOf: { model: "chat", weight: 20 } });
const vector = endpoint("vector", {
  engine: "triton",
  task: "rerank",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
});
const idle = endpoint("idle");
const ENDPOINTS: readonly ModelEndpoint[] = [chat, next, vector, idle];

function sleepingRun(): Promise<ProgramRun> {
  return changedRun("oci-h100", {
    pools: {
      system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3 },
      a10: { shape: "BM.GPU.A10.4", availabilityDomains: [1], maxNodes: 1 },
    },
    models: {
      chat: {
        model: "llama-3.1-8b-instruct",
        contextTokens: 4096,
        concurrency: 4,
        pools: ["a10"],
        replicas: { min: 0, max: 2 },
      },
    },
    budget: { monthlyUsd: 1_000_000 },
  });
}

interface All {
  readonly gateway: GatewayStand;
  readonly stand: AutoscalingStand;
  readonly series: GatewaySeries;
  readonly state: ScaledModelState;
  stop(): Promise<void>;
}

async function start(): Promise<All> {
  const tenants = tenantsOf({ default: {}, trial: { priority: "free" } });
  // One program at a time: the next begins with the gateway's stand.
  const run = await sleepingRun();
  // One after the other: of two that start at once on a small machine, each may wait too long for itself.
  const gateway = await standOf({ endpoints: ENDPOINTS, tenants }, { proxies: 0 });
  const targets = { ...GATEWAY_TARGET, cluster: {}, chat: { namespace: "model-chat" } };
  const stand = await AutoscalingStand.start({ targets }).catch(async (error: Error) => {
    await gateway.stop();
    throw error;
  });
  // As a cluster's DNS has it: nobody is ready.
  for (const { service, namespace } of ENDPOINTS) {
    gateway.resolve(serviceFqdn(service, namespace), []);
  }
  const series = new GatewaySeries(await gateway.startProxy(), stand.replay);
  const state = new ScaledModelState(stand.plane.client, "chat", "Deployment");
  const kubeStateMetrics = setInterval(() => void reportReplicas(stand, state), 500);
  const stop = async () => {
    clearInterval(kubeStateMetrics);
    series.stop();
    await Promise.all([gateway.stop(), stand.stop()]);
  };
  try {
    stand.replay.set("cluster", MODEL_NAMESPACE_SERIES, 1, { namespace: "model-chat", model: "chat" });
    await bringUpModels(stand, run);
    return { gateway, stand, series, state, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What kube-state-metrics and engines say of the replicas that there are; of none, nothing. */
async function reportReplicas({ replay }: AutoscalingStand, state: ScaledModelState): Promise<void> {
  const ready = (await state.pods().catch(() => [])).filter((pod) => pod.ready).length;
  replay.set("cluster", READY_REPLICAS_SERIES, ready, { namespace: "model-chat", model: "chat" });
  if (ready === 0) {
    replay.clear("chat");
    return;
  }
  for (const meaning of ["requestsWaiting", "requestsRunning", "kvCacheUsage"] as const) {
    replay.set("chat", seriesOf(meaning)[0] ?? "", 0, { model_name: "chat", engine: "0" });
  }
}

const all = sharedBySuite(start);

const ask = (model: string, path = "/v1/chat/completions", consumer = "default", headers = {}) =>
  all().gateway.request({ path, consumer, headers, json: { model, messages: [{ role: "user", content: "?" }] } });

const value = async (query: string) => (await all().stand.replay.query(query)).map((found) => found.value);

describe("a model that sleeps", { timeout: 180_000 }, () => {
  it("fell asleep because nobody asked, and stays asleep while nobody does", async () => {
    const { state } = all();
    await waitFor("sleep", async () => ((await state.replicas()) === 0 ? true : undefined), 120);
    expect(await ofReplicas(state, 3 * POLL)).toEqual([0]);
  });

  it("is not woken by a request of which Prometheus does not know yet", async () => {
    const { series, state } = all();
    series.isRead = false;
    const before = await series.value("envoy_cluster_upstream_cx_none_healthy", "model-chat");
    const answered = await series.value("envoy_cluster_upstream_rq_xx", "model-chat");
    const { status, headers, text } = await ask("chat");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 503, type: "application/json" });
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "server_error", message: expect.stringContaining("wak") },
    });
    expect(await series.value("envoy_cluster_upstream_cx_none_healthy", "model-chat")).toBe(before + 1);
    // What alerts take off the gateway's errors while a model sleeps.
    expect(await series.value("envoy_cluster_upstream_rq_xx", "model-chat")).toBe(answered + 1);
    expect(await ofReplicas(state, 3 * POLL)).toEqual([0]);
  });

  it("wakes by that one request, once Prometheus knows, and sleeps when nobody has asked for as long as planned", async () => {
    const { series, state } = all();
    series.isRead = true;
    const asked = Date.now();
    await waitFor("the model to wake", async () => ((await state.replicas()) === 1 ? true : undefined));
    const woken = Date.now();
    await waitFor("sleep", async () => ((await state.replicas()) === 0 ? true : undefined), 120);
    const awake = (Date.now() - woken) / 1000;
    console.log(`woken after ${(woken - asked) / 1000} s, awake for ${awake} s`);
    expect(awake).toBeGreaterThan(COLD_START + IDLE - POLL);
  });

  it("is awake where signals are lost, as many replicas as planned for that", async () => {
    const { stand, state } = all();
    // Five minutes otherwise, counted in looks.
    await stand.plane.client.patch(SCALED_OBJECT, { spec: { fallback: { failureThreshold: 2, replicas: 1 } } });
    expect(await state.replicas()).toBe(0);
    const before = await errorsOf(stand);
    await stand.replay.stopPrometheus();
    try {
      await waitFor("KEDA to fall back", async () => ((await state.isFallingBack()) ? true : undefined));
      await waitFor("a replica", async () => ((await state.replicas()) === 1 ? true : undefined));
      // What the alert has to go by: while it falls back, KEDA 2.21 counts no more of them.
      const errors = await errorsOf(stand);
      expect(errors).toBeGreaterThan(before);
      expect(await ofReplicas(state, COLD_START + IDLE + 2 * POLL)).toEqual([1]);
      console.log(
        `errors that KEDA counted: ${before}, until it fell back ${errors}, and after it ${await errorsOf(stand)}`,
      );
    } finally {
      await stand.replay.restartPrometheus();
    }
  });
});

/** Errors with the model's signals, as KEDA's operator counts them. */
async function errorsOf({ keda }: AutoscalingStand): Promise<number> {
  const said = await (await fetch(keda.operatorMetrics)).text();
  const [, errors = "0"] = /^keda_scaled_object_errors_total\{.*scaledObject="replicas".*\} (\d+)$/m.exec(said) ?? [];
  return Number(errors);
}

const SCALED_OBJECT = {
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name: "replicas", namespace: "model-chat" },
};

/** Numbers of replicas that its controller is told while so many seconds pass. */
async function ofReplicas(state: ScaledModelState, seconds: number): Promise<(number | undefined)[]> {
  const seen = await state.during(seconds);
  return [...new Set(seen.map((each) => Number(each.split(" ")[1])))];
}

describe("the wake signal", { timeout: 120_000 }, () => {
  const chatBody = (path: string, consumer?: string) => () => ask("chat", path, consumer);
  const call = (name: string) => () =>
    ask("vector", `/inference.GRPCInferenceService/${name}`, "default", { "x-model": "vector" });

  it.each([
    ["by its name", chatBody("/v1/chat/completions"), ["chat", "next"]],
    ["of a free consumer", chatBody("/v1/chat/completions", "trial"), ["chat", "next"]],
    ["by its path", chatBody("/chat/v1/chat/completions"), ["chat", "next"]],
    ["by its group's path", chatBody("/cluster/infer"), ["chat", "next"]],
    ["by its canary's path", chatBody("/next/v1/chat/completions"), ["next"]],
    ["by the path of its canary's nodes", chatBody("/cluster.canary/infer"), ["next"]],
    ["over KServe's HTTP", () => ask("vector", "/vector/v2/models/vector/infer"), ["vector"]],
    ["over gRPC", call("ModelInfer"), ["vector"]],
    ["in a stream over gRPC", call("ModelStreamInfer"), ["vector"]],
  ])("counts a request %s once, for whom it is meant and for nobody else", async (_, send, meant) => {
    const before = await unmet();
    expect((await send()).status).toBe(503);
    const expected = before.map((count, i) => count + (meant.includes(ENDPOINTS[i]?.model ?? "") ? 1 : 0));
    await waitFor("Prometheus to know", async () => ((await unmet()).join() === expected.join() ? true : undefined));
  });

  it("does not count what the gateway refuses itself, nor who asks after a group's health", async () => {
    const before = await unmet();
    expect((await all().gateway.request({ path: "/v1/chat/completions", json: { model: "chat" } })).status).toBe(401);
    expect((await ask("nobody")).status).toBe(404);
    expect((await all().gateway.request({ path: "/cluster/health", consumer: "default" })).status).toBe(503);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(await unmet()).toEqual(before);
  });

  it("stays up while a request is under way, and is an error where no proxy is read", async () => {
    const { gateway, stand } = all();
    const held: ServerResponse[] = [];
    const served = await gateway.serve("idle", (asked, response) => {
      const isCheck = asked.method === "GET";
      asked.resume().on("end", () => (isCheck ? response.end("{}") : held.push(response)));
    });
    gateway.resolve(serviceFqdn(idle.service, idle.namespace), [served.address]);
    const [proxy] = gateway.proxies;
    await waitFor("a replica at the proxy", async () => {
      const healthy = await proxy?.stats("model-idle/rule/0.*membership_healthy");
      return [...(healthy?.values() ?? [])].some((count) => count === 1) || undefined;
    });
    const signal = () => value(wakeQuery(idle, SEEN_SECONDS));
    expect(await signal()).toEqual([0]);
    const answer = ask("idle");
    await waitFor("the request at its replica", async () => held.length > 0 || undefined);
    await new Promise((resolve) => setTimeout(resolve, 2000 * SEEN_SECONDS));
    expect(await signal()).toEqual([1]);
    held[0]?.setHeader("content-type", "application/json").end(completion("idle", "idle"));
    expect((await answer).status).toBe(200);
    await waitFor("nobody", async () => ((await signal())[0] === 0 ? true : undefined));
    stand.replay.setUp("gateway", false);
    await waitFor("an error", async () => ((await signal()).length === 0 ? true : undefined));
    stand.replay.setUp("gateway", true);
  });
});

/** Requests that found no replica, as Prometheus knows them by the very series of each model's signal. */
async function unmet(): Promise<number[]> {
  const counts = ENDPOINTS.map((each) => {
    const selectors = wakeQuery(each).match(/envoy_cluster_\w*upstream_cx_none_healthy\{[^}]*\}/g) ?? [];
    return value(`sum(${[...new Set(selectors)].join(" or ")}) or vector(0)`);
  });
  return (await Promise.all(counts)).map(([count = 0]) => count);
}
