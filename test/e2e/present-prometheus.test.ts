/** Monitors and rules for a Prometheus Operator of others: its real definitions take them, and its selectors find them by its label. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { changedRun } from "../stacks/run";

const GROUP = "monitoring.coreos.com";
const LABELS = { release: "corp-monitoring", "example.com/team": "sre" };

let plane: ControlPlane;
let objects: readonly KubernetesObject[] = [];

beforeAll(async () => {
  const operator = { namespace: "monitoring", labels: LABELS };
  const [started, { resources }] = await Promise.all([
    ControlPlane.start(),
    changedRun("dev", { observability: { prometheus: "present", operator } }),
  ]);
  plane = started;
  objects = recordedObjects(resources).filter(({ apiVersion = "" }) => apiVersion.startsWith(GROUP));
  await installChartCrds(
    plane.client,
    "prometheus-operator-crds",
    new Set(["PodMonitor", "PrometheusRule", "Prometheus"].map((kind) => `${kind}.${GROUP}`)),
  );
  const namespaces = ["observability", "monitoring"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  for (const object of [...namespaces, ...objects]) {
    await plane.client.apply(object as KubernetesObject);
  }
}, 60_000);
afterAll(() => plane?.stop());

async function selected(plural: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const query = new URLSearchParams({ labelSelector: selector.join(",") });
  const { body } = await plane.client.request("GET", `/apis/${GROUP}/v1/${plural}?${query}`);
  return (body as { items: unknown[] }).items.length;
}

it("are found in every namespace by the labels that it asks for, and by no others", async () => {
  const of = (kind: string) => objects.filter((object) => object.kind === kind).length;
  expect(of("PodMonitor")).toBeGreaterThan(3);
  expect(await selected("podmonitors", LABELS)).toBe(of("PodMonitor"));
  expect(await selected("prometheusrules", LABELS)).toBe(of("PrometheusRule"));
  expect(await selected("podmonitors", { release: "kube-prometheus-stack" })).toBe(0);
});
