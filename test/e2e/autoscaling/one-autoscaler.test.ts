/** Two autoscalers of one model pull at the same number. What of that the real KEDA refuses, and what nobody does but our policy. */
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { sharedBySuite } from "../shared-by-suite";
import { AutoscalingStand } from "./stand";

const NAMESPACE = "default";

function deployment(name: string): KubernetesObject {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.example/pause:1" }] } },
    },
  };
}

function targetRef(name: string) {
  return { apiVersion: "apps/v1", kind: "Deployment", name };
}

function scaledObject(name: string, target: string): KubernetesObject {
  const schedule = { timezone: "UTC", start: "0 8 * * *", end: "0 18 * * *", desiredReplicas: "2" };
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      scaleTargetRef: targetRef(target),
      minReplicaCount: 1,
      maxReplicaCount: 2,
      triggers: [{ type: "cron", metadata: schedule }],
    },
  };
}

function horizontalAutoscaler(name: string, target: string): KubernetesObject {
  const metric = { metric: { name: "inference_p99_latency_ms" }, target: { type: "Value", value: "80" } };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: NAMESPACE },
    spec: {
      scaleTargetRef: targetRef(target),
      minReplicas: 1,
      maxReplicas: 2,
      metrics: [{ type: "External", external: metric }],
    },
  };
}

describe("a second autoscaler of one target", { timeout: 120_000 }, () => {
  const stand = sharedBySuite(() => AutoscalingStand.start({ controllers: ["horizontal-pod-autoscaler-controller"] }));
  const client = () => stand().plane.client;

  it("is refused by KEDA's webhook where KEDA scales it already", async () => {
    await client().create(deployment("twice"));
    const first = scaledObject("first", "twice");
    await client().create(first);
    await waitFor("KEDA's own HorizontalPodAutoscaler", () =>
      client().get(horizontalAutoscaler("keda-hpa-first", "twice")),
    );
    await expect(client().create(scaledObject("second", "twice"))).rejects.toThrow(
      /denied the request: the workload 'twice' of type 'apps\/v1.Deployment' is already managed by/,
    );
  });

  it("is refused by KEDA's webhook where a HorizontalPodAutoscaler scales it already", async () => {
    await client().create(deployment("own"));
    await client().create(horizontalAutoscaler("own", "own"));
    await waitFor("KEDA to know of it", async () => {
      const refusal = await client()
        .create(scaledObject("late", "own"))
        .then(
          () => undefined,
          (error: Error) => error.message,
        );
      if (refusal === undefined) {
        await client().delete(scaledObject("late", "own"));
      }
      return refusal?.includes("is already managed by the hpa 'own'") ? true : undefined;
    });
  });

  it("is taken by everybody when it is a HorizontalPodAutoscaler that comes after KEDA: only the policy sees it", async () => {
    await client().create(deployment("late-hpa"));
    await client().create(scaledObject("early", "late-hpa"));
    expect(await client().create(horizontalAutoscaler("late", "late-hpa"))).toBe(true);
  });
});
