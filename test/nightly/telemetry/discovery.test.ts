/**
 * Scraping by the real operator: what it makes of the monitors and rules of an environment finds the platform's pods, gives series the labels that
 * rules read, and notices a replica that dies. Minutes of alerts: test/e2e/prometheus/spike.test.ts.
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { podsOf, recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { patchStatus } from "../../../rehearsal/cluster/status";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { engineUp } from "../../e2e/prometheus/stories/world";
import { changedRun } from "../../stacks/run";
import { type DiscoveringPrometheus, runOperator, runPrometheus } from "./operator";

const NODE = "gpu-1";
/** A vLLM model whose replicas are nodes of a server group, so that two monitors read its pods. */
const MODEL = "writer";

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly metric: Labels;
  readonly value: readonly [number, string];
}
interface Monitor extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly namespaceSelector: { readonly matchNames: readonly string[] };
    readonly podMetricsEndpoints: readonly { readonly portNumber: number; readonly path: string }[];
  };
}
interface StackValues {
  readonly prometheus?: { readonly prometheusSpec?: Readonly<Record<string, unknown>> };
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly restartPolicy?: string;
  readonly ports?: readonly { readonly containerPort: number }[];
}

let plane: ControlPlane;
let prometheus: DiscoveringPrometheus;
let objects: readonly KubernetesObject[];
const servers = new Map<string, Server[]>();
const pods = new Map<string, KubernetesObject>();

const monitors = () => objects.filter(({ kind }) => kind === "PodMonitor") as unknown as readonly Monitor[];
const rules = () =>
  objects
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap(
      ({ spec }) => (spec as { groups: readonly { rules: readonly { record?: string; labels?: Labels }[] }[] }).groups,
    )
    .flatMap((group) => group.rules);
const query = async (expr: string) =>
  (await prometheus.ask<{ result: readonly Sample[] }>(`query?${new URLSearchParams({ query: expr })}`)).result;

/** Containers as far as they are discovered: names, images and ports. */
function shown(containers: readonly Container[] = []): Container[] {
  return containers.map(({ name, image, ports, restartPolicy }) => ({
    name,
    image,
    ...(ports && { ports }),
    ...(restartPolicy && { restartPolicy }),
  }));
}

/** Pods that a monitor selects: those of our workloads, or one as a chart or a controller makes it. */
function selectedBy({ spec }: Monitor): KubernetesObject[] {
  const { matchLabels } = spec.selector;
  return spec.namespaceSelector.matchNames.flatMap((namespace) => {
    const own = objects.flatMap(podsOf).filter(({ metadata }) => {
      const labels = (metadata as { labels?: Labels }).labels ?? {};
      return metadata.namespace === namespace && Object.entries(matchLabels).every(([key, is]) => labels[key] === is);
    });
    const alike = monitors().filter((each) => JSON.stringify(each.spec.selector) === JSON.stringify(spec.selector));
    const ports = alike
      .flatMap((each) => each.spec.podMetricsEndpoints)
      .map(({ portNumber }) => ({ containerPort: portNumber }));
    const foreign = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: Object.values(matchLabels).at(-1) ?? "", namespace, labels: matchLabels },
      spec: { containers: [{ name: "main", image: "registry.example/main:1", ports }] },
    };
    return own.length > 0 ? own : [foreign];
  });
}

async function startPod(pod: KubernetesObject, name: string, ports: ReadonlySet<number>): Promise<void> {
  const address = `127.0.1.${pods.size + 1}`;
  const { containers, initContainers } = pod.spec as Readonly<Record<string, readonly Container[]>>;
  const { namespace = "", labels } = pod.metadata as { namespace?: string; labels?: Labels };
  const object: KubernetesObject = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, ...(labels && { labels }) } as KubernetesObject["metadata"],
    spec: {
      nodeName: NODE,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      containers: shown(containers),
      ...(initContainers && { initContainers: shown(initContainers) }),
    },
  };
  await plane.client.create(object);
  const conditions = [{ type: "Ready", status: "True" }];
  await patchStatus(plane.client, object, { phase: "Running", podIP: address, podIPs: [{ ip: address }], conditions });
  pods.set(`${namespace}/${name}`, object);
  const listening = [...ports].map(async (port) => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "text/plain; version=0.0.4").end("vllm:num_requests_waiting 1\n");
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    return server;
  });
  servers.set(name, await Promise.all(listening));
}

const stopServers = (name: string) => {
  for (const server of servers.get(name) ?? []) {
    server.closeAllConnections();
    server.close();
  }
};

beforeAll(async () => {
  const [started, { resources }] = await Promise.all([
    ControlPlane.start({ controllers: ["serviceaccount-controller"] }),
    changedRun("oci-a10", {}),
  ]);
  plane = started;
  objects = recordedObjects(resources);
  const values = resources.map(({ inputs }) => inputs.values as StackValues | undefined);
  const prometheusSpec = values.find((each) => each?.prometheus?.prometheusSpec)?.prometheus?.prometheusSpec ?? {};
  expect(prometheusSpec).toHaveProperty("podMonitorSelectorNilUsesHelmValues", false);
  // Without their Pod Security levels: pods here are addresses.
  const namespaces = new Set(
    monitors().flatMap(({ metadata, spec }) => [metadata.namespace ?? "", ...spec.namespaceSelector.matchNames]),
  );
  for (const name of namespaces) {
    await plane.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  await runOperator(plane);
  for (const object of objects.filter(({ kind }) => kind === "PodMonitor" || kind === "PrometheusRule")) {
    await plane.client.apply(object);
  }
  const wanted = new Map<string, { pod: KubernetesObject; ports: Set<number> }>();
  for (const monitor of monitors()) {
    for (const pod of selectedBy(monitor)) {
      const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
      const { ports } = wanted.get(key) ?? { ports: new Set<number>() };
      for (const { portNumber } of monitor.spec.podMetricsEndpoints) {
        ports.add(portNumber);
      }
      wanted.set(key, { pod, ports });
    }
  }
  await waitFor("service accounts", async () => {
    const accounts = await plane.client.list("v1", "ServiceAccount");
    return accounts.length >= namespaces.size ? true : undefined;
  });
  for (const { pod, ports } of wanted.values()) {
    const replicas = pod.metadata.namespace === `model-${MODEL}` ? 2 : 1;
    for (let i = 0; i < replicas; i += 1) {
      await startPod(pod, `${pod.metadata.name}-${i}`, ports);
    }
  }
  prometheus = await runPrometheus(plane, prometheusSpec);
}, 240_000);
afterAll(async () => {
  for (const name of servers.keys()) {
    stopServers(name);
  }
  await plane?.stop();
}, 60_000);

describe("scraping by the operator's configuration", () => {
  it("finds every target that the plan expects, by the job and namespace of its rules", async () => {
    const expected = rules()
      .filter(({ record }) => record === "inference:expected_metrics:info")
      .map(({ labels = {} }) => `${labels.job} ${labels.namespace}`)
      .filter((target) => target.startsWith("observability/"))
      .sort();
    expect(expected.length).toBeGreaterThan(5);
    const found = async () => {
      const targets = (await query("up == 1")).map(({ metric }) => `${metric.job} ${metric.namespace}`);
      return [...new Set(targets)].sort();
    };
    const isWhole = async () => {
      const targets = await found();
      return expected.every((target) => targets.includes(target)) ? true : undefined;
    };
    await waitFor("targets", isWhole, 60).catch(() => undefined);
    expect(await found()).toEqual(expect.arrayContaining(expected));
    expect(await query("up == 0")).toEqual([]);
  });

  it("gives series the labels that rules and stories read", async () => {
    const [waiting] = await query(`vllm:num_requests_waiting{job="observability/models-vllm",model="${MODEL}"}`);
    expect(waiting?.metric).toMatchObject({ namespace: `model-${MODEL}`, node: NODE, inference_engine: "vllm" });
    const names = (await query(`up{job="observability/models-vllm",namespace="model-${MODEL}"}`)).map(
      ({ metric }) => metric.pod ?? "",
    );
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(await query(engineUp(MODEL, name))).toHaveLength(1);
    }
    expect(await query('up{job=~"observability/nodes-.*",group!="",model!=""}')).toHaveLength(2);
  });

  it("loads every rule, and evaluates each without an error", async () => {
    interface Group {
      readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
    }
    const loaded = await waitFor(
      "evaluations",
      async () => {
        const { groups } = await prometheus.ask<{ groups: readonly Group[] }>("rules");
        const all = groups.flatMap((group) => group.rules);
        return all.length > 0 && all.every(({ health }) => health !== "unknown") ? all : undefined;
      },
      90,
    );
    expect(loaded).toHaveLength(rules().length);
    expect(loaded.filter(({ health }) => health !== "ok")).toEqual([]);
  });

  it("notices a replica that dies, and forgets it with its pod", async () => {
    const [key, pod] = [...pods].find(([name]) => name.startsWith(`model-${MODEL}/`) && name.endsWith("-1")) ?? [];
    const name = key?.split("/")[1] ?? "";
    stopServers(name);
    const of = `{namespace="model-${MODEL}",pod="${name}"}`;
    await waitFor(
      "a target that is down",
      async () => ((await query(`up${of} == 0`)).length === 2 ? true : undefined),
      60,
    );
    if (pod) {
      await plane.client.delete(pod, 0);
    }
    await prometheus.discover();
    await waitFor("a target that is gone", async () => ((await query(`up${of}`)).length === 0 ? true : undefined), 60);
    expect(await query(`up{job="observability/models-vllm",namespace="model-${MODEL}"} == 1`)).toHaveLength(1);
  }, 150_000);
});
