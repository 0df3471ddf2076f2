import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScaledModel } from "../../../components/autoscaling/scaled-model";
import { scaledObject } from "../../../components/autoscaling/scaled-object";
import { SCALING_SIGNALS, type ScalingPlan } from "../../../planner/scaling";
import { crdProblems } from "../../harness/crds";
import { deploy } from "../../harness/deploy";
import { atNight } from "../../harness/property-runs";
import { scaledGroup, scaledModel, scalingPlan, sleepingPlan } from "./scaled";

const PROMETHEUS = "http://prometheus.test:9090";

async function rendered(scaled: ScaledModel) {
  const deployment = await deploy(() => scaledObject("scaled", { scaled, prometheusUrl: PROMETHEUS }, {}));
  const [object] = deployment.ofKind("ScaledObject");
  if (object === undefined) {
    throw new Error("no ScaledObject");
  }
  expect(crdProblems(object.inputs)).toEqual([]);
  return object.inputs as { readonly metadata: object; readonly spec: Readonly<Record<string, unknown>> };
}

describe("the ScaledObject of a model", () => {
  it("scales its Deployment by its queue, between the plan's bounds, and never down while signals are lost", async () => {
    const { metadata, spec } = await rendered(scaledModel(scalingPlan()));
    expect(metadata).toMatchObject({
      name: "replicas",
      namespace: "model-llama-8b",
      labels: { "inference-stacks.io/model": "llama-8b" },
    });
    expect(spec).toEqual({
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "model-llama-8b" },
      minReplicaCount: 1,
      maxReplicaCount: 4,
      fallback: { failureThreshold: 20, replicas: 1, behavior: "currentReplicasIfHigher" },
      advanced: {
        restoreToOriginalReplicaCount: false,
        horizontalPodAutoscalerConfig: {
          behavior: {
            scaleUp: {
              stabilizationWindowSeconds: 0,
              selectPolicy: "Max",
              policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
            },
            scaleDown: {
              stabilizationWindowSeconds: 300,
              selectPolicy: "Max",
              policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
            },
          },
        },
      },
      triggers: [
        {
          type: "prometheus",
          name: "queue",
          metricType: "AverageValue",
          metadata: {
            serverAddress: PROMETHEUS,
            query: 'sum(vllm:num_requests_waiting{namespace="model-llama-8b"})',
            threshold: "4",
            ignoreNullValues: "false",
          },
        },
        {
          type: "prometheus",
          name: "busy",
          metricType: "AverageValue",
          metadata: {
            serverAddress: PROMETHEUS,
            query: '(sum(vllm:num_requests_running{namespace="model-llama-8b"})) / 16',
            threshold: "1",
            ignoreNullValues: "false",
          },
        },
      ],
    });
  });

  it("scales groups as groups", async () => {
    const { spec } = await rendered(scaledGroup());
    expect(spec).toMatchObject({
      scaleTargetRef: {
        apiVersion: "leaderworkerset.x-k8s.io/v1",
        kind: "LeaderWorkerSet",
        name: "model-llama-405b",
      },
      minReplicaCount: 1,
      maxReplicaCount: 2,
    });
  });

  it("lets a model sleep after its idle time, which begins once it is loaded, and never leaves it asleep", async () => {
    const { spec } = await rendered(scaledModel(sleepingPlan()));
    expect(spec).toMatchObject({
      minReplicaCount: 0,
      maxReplicaCount: 4,
      pollingInterval: 15,
      cooldownPeriod: 2040,
      initialCooldownPeriod: 1800,
      fallback: { failureThreshold: 20, replicas: 1, behavior: "currentReplicasIfHigher" },
      advanced: { restoreToOriginalReplicaCount: true },
    });
  });

  it("is refused by the CRD with a field that KEDA does not have", async () => {
    const { spec, ...rest } = await rendered(scaledModel(scalingPlan()));
    const broken = {
      ...rest,
      apiVersion: "keda.sh/v1alpha1",
      kind: "ScaledObject",
      spec: { ...spec, metricName: "x" },
    };
    expect(crdProblems(broken)).toHaveLength(1);
  });

  const plans: fc.Arbitrary<Partial<ScalingPlan>> = fc
    .record({
      min: fc.nat(3),
      more: fc.integer({ min: 1, max: 5 }),
      signals: fc.uniqueArray(
        fc.record({ on: fc.constantFrom(...SCALING_SIGNALS), target: fc.integer({ min: 1, max: 100 }) }),
        {
          minLength: 1,
          selector: ({ on }) => on,
        },
      ),
      scheduled: fc.nat(2),
      idleSeconds: fc.integer({ min: 60, max: 86_400 }),
      coldStartSeconds: fc.integer({ min: 1, max: 3600 }),
      pollSeconds: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ more, scheduled, min, idleSeconds, ...rest }) => ({
      ...rest,
      min,
      max: min + more,
      fallbackReplicas: Math.max(1, min),
      ...(min === 0 && { idleSeconds }),
      schedule: Array.from({ length: scheduled }, (_, day) => ({
        from: `0 8 * * ${day}`,
        to: `0 18 * * ${day}`,
        timezone: "UTC",
        replicas: min + more,
      })),
    }));

  it("keeps the plan's bounds, whatever these are: no sleep above 0, and no 0 while signals are lost", async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (changes) => {
        const plan = scalingPlan(changes);
        const { spec } = await rendered(scaledModel(plan));
        const { minReplicaCount, maxReplicaCount, cooldownPeriod, fallback, triggers } = spec as {
          minReplicaCount: number;
          maxReplicaCount: number;
          cooldownPeriod?: number;
          fallback: { replicas: number; failureThreshold: number };
          triggers: readonly { name: string; metadata: { threshold?: string; ignoreNullValues?: string } }[];
        };
        expect([minReplicaCount, maxReplicaCount]).toEqual([plan.min, plan.max]);
        expect(fallback.replicas).toBeGreaterThanOrEqual(Math.max(1, plan.min));
        expect(fallback.replicas).toBeLessThanOrEqual(plan.max);
        expect(fallback.failureThreshold).toBeGreaterThan(0);
        expect(cooldownPeriod).toBe(
          plan.min === 0 ? plan.coldStartSeconds + (plan.idleSeconds ?? Number.NaN) : undefined,
        );
        const names = triggers.map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        expect(names.includes("wake")).toBe(plan.min === 0);
        for (const { metadata } of triggers.filter(({ name }) => !name.startsWith("schedule-"))) {
          expect(Number(metadata.threshold)).toBeGreaterThan(0);
          expect(metadata.ignoreNullValues).toBe("false");
        }
      }),
      { numRuns: atNight(30) },
    );
  });
});
