/** What the real KEDA says of itself where it cannot read a signal, and where somebody paused it: alerts read these series. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { repositoryRoot } from "../../../names/repository-root";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { sharedBySuite } from "../shared-by-suite";
import { AutoscalingStand } from "./stand";

const NAMESPACE = "default";
const MODEL = "chat";
const FALLBACK = 1;

const labels = { app: MODEL };
const deployment: KubernetesObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: MODEL, namespace: NAMESPACE },
  spec: {
    replicas: FALLBACK,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.example/pause:1" }] } },
  },
};

function scaledObject(serverAddress: string, annotations: Readonly<Record<string, string>> = {}): KubernetesObject {
  const metadata = { serverAddress, query: "sum(waiting)", threshold: "4", ignoreNullValues: "false" };
  return {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: MODEL, namespace: NAMESPACE, annotations },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: MODEL },
      pollingInterval: 1,
      minReplicaCount: 1,
      maxReplicaCount: 3,
      fallback: { failureThreshold: 1, replicas: FALLBACK },
      triggers: [{ type: "prometheus", name: "queue", metricType: "AverageValue", metadata }],
    },
  };
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples of a series in Prometheus' text. */
function samples(text: string, series: string): Sample[] {
  return [...text.matchAll(new RegExp(`^${series}\\{(.*)\\} (\\S+)$`, "gm"))].map(([, pairs = "", value]) => ({
    labels: Object.fromEntries([...pairs.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, is]) => [label, is])),
    value: Number(value),
  }));
}

interface Source {
  readonly component: string;
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
}

/** The series that rules and dashboards may read of KEDA. */
function known(): Source["metrics"] {
  const file = join(repositoryRoot(), "test/fixtures/upstream/kubernetes-metrics.json");
  const { sources } = JSON.parse(readFileSync(file, "utf8")) as { readonly sources: readonly Source[] };
  return sources.find(({ component }) => component === "keda")?.metrics ?? [];
}

describe("KEDA's own series", { timeout: 120_000 }, () => {
  const stand = sharedBySuite(() => AutoscalingStand.start({ controllers: ["horizontal-pod-autoscaler-controller"] }));
  const client = () => stand().plane.client;
  const exposition = async () => (await fetch(stand().keda.operatorMetrics)).text();
  const sampleOf = async (series: string) =>
    samples(await exposition(), series).find(({ labels: of }) => of.scaledObject === MODEL)?.value;
  const replicas = async () =>
    ((await client().get(deployment))?.spec as { readonly replicas?: number } | undefined)?.replicas;
  const fallsBack = async () => {
    const { conditions = [] } = ((await client().get(scaledObject("")))?.status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
    return conditions.some(({ type, status }) => type === "Fallback" && status === "True");
  };

  it("count what was asked in vain while Prometheus is away, also once the fallback hides that from KEDA's own errors", async () => {
    const { replay } = stand();
    replay.set("engine", "waiting", 0);
    await client().create(deployment);
    await client().create(scaledObject(replay.url));
    await waitFor("KEDA to read the signal", async () =>
      (await sampleOf("keda_scaler_metrics_value")) === 0 ? true : undefined,
    );
    await replay.stopPrometheus();
    const inVain = async () => {
      const all = samples(await exposition(), "keda_scaler_http_requests_total");
      return all.find(({ labels: of }) => of.scaled_resource === MODEL && of.status_code === "error")?.value ?? 0;
    };
    await waitFor("KEDA to fall back", async () => ((await fallsBack()) ? true : undefined));
    const more = async (count: number) => {
      const before = await inVain();
      await waitFor("more that was asked in vain", async () => ((await inVain()) >= before + count ? true : undefined));
    };
    // What was under way when the fallback came may count once more.
    await more(2);
    const errors = await sampleOf("keda_scaled_object_errors_total");
    await more(3);
    expect(await sampleOf("keda_scaled_object_errors_total")).toBe(errors);
    expect(await replicas()).toBe(FALLBACK);
    await replay.restartPrometheus();
  });

  it("count answers without an element", async () => {
    const { replay } = stand();
    const empty = async () =>
      samples(await exposition(), "keda_scaler_empty_upstream_responses_total").find(
        ({ labels: of }) => of.scaledResource === MODEL && of.ignoreNullValues === "false",
      )?.value ?? 0;
    const before = await empty();
    replay.clear("engine");
    await waitFor("KEDA to miss the signal", async () => ((await empty()) > before ? true : undefined));
    replay.set("engine", "waiting", 0);
  });

  it("say that a ScaledObject is paused, and that it no longer is", async () => {
    const { replay } = stand();
    const paused = (value: number) =>
      waitFor(`KEDA to say ${value}`, async () =>
        (await sampleOf("keda_scaled_object_paused")) === value ? true : undefined,
      );
    await paused(0);
    await client().patch(scaledObject(replay.url), {
      metadata: { annotations: { "autoscaling.keda.sh/paused": "true" } },
    });
    await paused(1);
    await client().patch(scaledObject(replay.url), {
      metadata: { annotations: { "autoscaling.keda.sh/paused": null } },
    });
    await paused(0);
  });

  it("have the names and labels that rules and dashboards read", async () => {
    expect(known().length).toBeGreaterThan(0);
    // One that was paused a moment ago has those of its scalers again when KEDA looks the next time.
    const text = await waitFor("KEDA to tell all of them", async () => {
      const told = await exposition();
      return known().every(({ name }) => samples(told, name).length > 0) ? told : undefined;
    });
    for (const { name, labels: names } of known()) {
      const [sample] = samples(text, name);
      expect(Object.keys(sample?.labels ?? {}).sort(), name).toEqual([...names].sort());
    }
  });
});
