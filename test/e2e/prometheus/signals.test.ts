/** What models are scaled by, asked of Prometheus' own query engine: in motion, asleep, and where something is lost. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { busyQuery, signalQuery } from "../../../components/autoscaling/signals";
import { wakeQuery } from "../../../components/autoscaling/wake-signal";
import { scaledModel, scalingPlan, sleepingPlan } from "../../components/autoscaling/scaled";
import { tool } from "./tool";

const awake = scaledModel(scalingPlan());
const sleeps = scaledModel(sleepingPlan());
const busyQueryOf = (scaled: typeof awake) => busyQuery(scaled) ?? "";

const OF = 'namespace="model-llama-8b"';
const waiting = (pod: string, samples: string) => ({ [`vllm:num_requests_waiting{${OF},pod="${pod}"}`]: samples });
const running = (pod: string, samples: string) => ({ [`vllm:num_requests_running{${OF},pod="${pod}"}`]: samples });
const cache = (pod: string, samples: string) => ({ [`vllm:kv_cache_usage_perc{${OF},pod="${pod}"}`]: samples });
const latency = (samples: string) => ({ [`inference_p99_latency_ms{${OF},model="llama-8b"}`]: samples });
/** The cluster is known to Prometheus, with so many replicas that answer. */
const known = (ready: string) => ({
  [`inference:model_namespace:info{${OF},model="llama-8b"}`]: "1x10",
  [`inference:ready_replicas:count{${OF},model="llama-8b"}`]: ready,
});
const elsewhere = { 'vllm:num_requests_waiting{namespace="model-other",pod="other-0"}': "99x10" };

/** Of one proxy that is read: requests that found no replica. */
const unmet = (samples: string) => ({
  'up{job="observability/gateway-envoy",namespace="inference-gateway",pod="proxy-0"}': "1x10",
  'envoy_cluster_upstream_cx_none_healthy{namespace="inference-gateway",envoy_cluster_name="httproute/inference-gateway/model-llama-8b/rule/0",pod="proxy-0"}':
    samples,
});
const wakes = wakeQuery(sleeps.endpoint, 120);

interface Case {
  readonly name: string;
  readonly query: string;
  readonly series: Readonly<Record<string, string>>;
  /** Left out: no element, which KEDA takes for an error. */
  readonly gives?: number;
}

const CASES: readonly Case[] = [
  {
    name: "adds up the queues of its replicas, and of no other model",
    query: signalQuery("queue", awake),
    series: { ...waiting("a", "3x10"), ...waiting("b", "4x10"), ...elsewhere },
    gives: 7,
  },
  {
    name: "has no queue where its replicas cannot be read",
    query: signalQuery("queue", awake),
    series: { ...elsewhere, ...known("1x10") },
  },
  {
    name: "has no queue where its replicas cannot be read, though it may sleep",
    query: signalQuery("queue", sleeps),
    series: { ...elsewhere, ...known("1x10") },
  },
  { name: "has an empty queue asleep", query: signalQuery("queue", sleeps), series: known("0x10"), gives: 0 },
  {
    name: "has an empty queue asleep since Prometheus began",
    query: signalQuery("queue", sleeps),
    series: { [`inference:model_namespace:info{${OF},model="llama-8b"}`]: "1x10" },
    gives: 0,
  },
  { name: "has no queue for a Prometheus that knows nothing", query: signalQuery("queue", sleeps), series: elsewhere },
  {
    name: "has its own queue awake though it may sleep",
    query: signalQuery("queue", sleeps),
    series: { ...waiting("a", "5x10"), ...known("1x10") },
    gives: 5,
  },
  {
    name: "is as busy as so many full replicas",
    query: busyQueryOf(awake),
    series: { ...running("a", "16x10"), ...running("b", "8x10") },
    gives: 1.5,
  },
  { name: "is not busy asleep", query: busyQueryOf(sleeps), series: known("0x10"), gives: 0 },
  {
    name: "has a new replica's empty cache in its average",
    query: signalQuery("kvCache", awake),
    series: { ...cache("a", "0.8x10"), ...cache("b", "0x10") },
    gives: 40,
  },
  { name: "takes its latency", query: signalQuery("latency", awake), series: latency("120x10"), gives: 120 },
  {
    name: "is not slow where nobody asks: the percentile of nothing is no number",
    query: signalQuery("latency", awake),
    series: latency("NaN NaN NaN NaN NaN NaN"),
    gives: 0,
  },
  { name: "has no latency where nobody records it", query: signalQuery("latency", awake), series: known("1x10") },
  { name: "is asked for by the first request that a proxy knows of", query: wakes, series: unmet("_x4 1"), gives: 1 },
  { name: "is asked for by one more", query: wakes, series: unmet("4 4 4 4 4 5"), gives: 1 },
  {
    name: "is asked for by the first request of a proxy that began anew",
    query: wakes,
    series: unmet("4 4 _x2 1 1"),
    gives: 1,
  },
  {
    name: "is not asked for by what a proxy that began anew was asked before",
    query: wakes,
    series: unmet("4 1x5"),
    gives: 0,
  },
  {
    name: "is not asked for by a proxy that could not be read for a while",
    query: wakes,
    series: unmet("4 4 _x2 4 4"),
    gives: 0,
  },
  { name: "has no latency asleep", query: signalQuery("latency", sleeps), series: known("0x10"), gives: 0 },
];

describe("what a model is scaled by", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "signals-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function inPrometheus(cases: readonly Case[]) {
    const file = join(folder, "tests.yaml");
    const tests = cases.map(({ name, query, series, gives }) => ({
      name,
      interval: "1m",
      input_series: Object.entries(series).map(([selector, values]) => ({ series: selector, values })),
      promql_expr_test: [
        {
          expr: query,
          eval_time: "5m",
          exp_samples: gives === undefined ? [] : [{ labels: "{}", value: gives }],
        },
      ],
    }));
    writeFileSync(file, stringify({ evaluation_interval: "1m", tests }));
    return tool("promtool", "test", "rules", file);
  }

  it("is one number, or none where something is lost", () => {
    const { status, output } = inPrometheus(CASES);
    expect(status, output).toBe(0);
  });

  it("is told from another number", () => {
    const [first] = CASES;
    const { status, output } = inPrometheus(first ? [{ ...first, gives: 8 }] : []);
    expect(status).not.toBe(0);
    expect(output).toContain("got: {} 7E+00");
  });
});
