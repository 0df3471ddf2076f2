import { describe, expect, it } from "vitest";
import { triggers } from "../../../components/autoscaling/triggers";
import { modelPlan, ollamaPlan, sharedOllamaPlans } from "../../harness/plans";
import { scaledModel, scalingPlan, sleepingPlan } from "./scaled";

const PROMETHEUS = "http://prometheus.test:9090";
const OF = '{namespace="model-llama-8b"}';

function named(scaled: ReturnType<typeof scaledModel>) {
  return Object.fromEntries(
    triggers(scaled, PROMETHEUS).map(({ name, metricType, metadata }): [string, Readonly<Record<string, string>>] => [
      name,
      { ...(metricType && { metricType }), ...metadata },
    ]),
  );
}

describe("triggers of a model", () => {
  it("share queues among replicas, and keep what is alike in each of them at its target", () => {
    const signals = [
      { on: "kvCache", target: 80 },
      { on: "latency", target: 900 },
      { on: "gpuUtilization", target: 85 },
      { on: "cpuQueue", target: 100 },
    ] as const;
    expect(named(scaledModel(scalingPlan({ signals })))).toMatchObject({
      kvCache: { metricType: "Value", threshold: "80", query: `100 * avg(vllm:kv_cache_usage_perc${OF})` },
      latency: {
        metricType: "Value",
        threshold: "900",
        query: `max(inference_p99_latency_ms${OF} >= 0) or 0 * count(inference_p99_latency_ms${OF})`,
      },
      gpuUtilization: { metricType: "Value", threshold: "85", query: `max(inference_gpu_utilization_percent${OF})` },
      cpuQueue: { metricType: "Value", threshold: "100", query: `max(cpu_queue_length${OF})` },
    });
  });

  it("count requests at the gateway for engines that have no queue to tell of, with those of their guests, and once", () => {
    const [host, guest] = sharedOllamaPlans();
    const { queue, ...others } = named(scaledModel(scalingPlan(), host, [guest]));
    expect(queue?.metricType).toBe("AverageValue");
    expect(queue?.query).toMatch(/upstream_rq_active.*model-llama-3b.* \+ .*upstream_rq_active.*model-finder/s);
    expect(others).toEqual({});
  });

  it("know from the gateway how busy a model is whose engine says how many wait alone", () => {
    const triton = modelPlan({ engine: "triton", concurrency: 32 });
    const { queue, busy } = named(scaledModel(scalingPlan(), triton));
    expect(queue?.query).toBe(`sum(nv_inference_pending_request_count${OF})`);
    expect(busy?.query).toMatch(/upstream_rq_active.*\/ 32$/s);
  });

  it("count what a replica runs at its service level as busy, where the plan says", () => {
    const plan = modelPlan({ concurrency: 32 });
    expect(named(scaledModel(scalingPlan({ atOnce: 11 }), plan)).busy?.query).toMatch(/\/ 11$/);
    expect(named(scaledModel(scalingPlan(), plan)).busy?.query).toMatch(/\/ 32$/);
  });

  it("wake a model by requests alone, and let it sleep with memory in use", () => {
    const signals = [
      { on: "queue", target: 4 },
      { on: "gpuMemory", target: 75 },
    ] as const;
    const all = named(scaledModel(sleepingPlan({ signals })));
    expect(
      Object.fromEntries(Object.entries(all).map(([name, { activationThreshold }]) => [name, activationThreshold])),
    ).toEqual({
      queue: "0",
      gpuMemory: "1000000000",
      busy: "0",
      wake: "0",
    });
    expect(all.wake).toMatchObject({ metricType: "AverageValue", threshold: "1" });
    expect(all.wake?.query).toMatch(/^clamp_max\(.*, 1\)$/s);
  });

  it("never take an answer without elements for 0", () => {
    const all = triggers(scaledModel(sleepingPlan(), ollamaPlan()), PROMETHEUS);
    expect(all.map(({ metadata }) => metadata.ignoreNullValues)).toEqual(["false", "false"]);
  });

  it("run replicas before the demand comes", () => {
    const schedule = [
      { from: "0 8 * * 1-5", to: "0 18 * * 1-5", timezone: "Europe/Berlin", replicas: 3 },
      { from: "0 8 * * 6", to: "0 12 * * 6", timezone: "UTC", replicas: 2 },
    ];
    const crons = triggers(scaledModel(scalingPlan({ schedule })), PROMETHEUS).filter(({ type }) => type === "cron");
    expect(crons).toEqual([
      {
        type: "cron",
        name: "schedule-0",
        metadata: { timezone: "Europe/Berlin", start: "0 8 * * 1-5", end: "0 18 * * 1-5", desiredReplicas: "3" },
      },
      {
        type: "cron",
        name: "schedule-1",
        metadata: { timezone: "UTC", start: "0 8 * * 6", end: "0 12 * * 6", desiredReplicas: "2" },
      },
    ]);
  });
});
