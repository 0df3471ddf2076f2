import { describe, expect, test } from "vitest";
import { containers, podTemplates } from "../../../policies/lib/pods";
import { toResource } from "../../../policies/lib/resource";
import { container, HOMES, object, podSpec, UNKNOWN } from "../cases";

function read({ type, name, urn, inputs, options }: ReturnType<typeof object>) {
  const unknownPaths = new Set<string>();
  const pods = podTemplates(toResource({ type, name, urn, props: inputs, opts: options }, unknownPaths));
  return { pods, unknownPaths };
}

describe.each(Object.entries(HOMES))("%s", (_, home) => {
  test("has one pod, with all its containers", () => {
    const { pods } = read(home({ spec: podSpec({ initContainers: [container({ name: "copy" })] }) }));
    expect(pods).toHaveLength(1);
    expect(pods.flatMap(containers).map(({ name }) => name)).toEqual(["copy", "engine"]);
  });
});

test("a leader and a worker template are two pods", () => {
  const template = { spec: podSpec() };
  const spec = { leaderWorkerTemplate: { leaderTemplate: template, workerTemplate: template } };
  const { pods } = read(object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", { spec }));
  expect(pods.map((pod) => pod.spec.path)).toEqual([
    "spec.leaderWorkerTemplate.leaderTemplate.spec",
    "spec.leaderWorkerTemplate.workerTemplate.spec",
  ]);
});

test("claim templates, and patches of pods that an operator makes, are no pods", () => {
  const patch = { value: { spec: { template: { spec: { containers: [{ name: "envoy" }] } } } } };
  const spec = { volumeClaimTemplates: [{ spec: { storageClassName: "fast" } }], envoyDeployment: { patch } };
  expect(read(object("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", { spec })).pods).toEqual([]);
});

test.each([
  ["template", { template: UNKNOWN }, "spec.template"],
  ["pod", { template: { spec: UNKNOWN } }, "spec.template.spec"],
])("an unknown %s is remembered", (_, spec, path) => {
  const { pods, unknownPaths } = read(object("apps/v1", "Deployment", { spec }));
  expect(pods.flatMap(containers)).toEqual([]);
  expect([...unknownPaths]).toEqual([path]);
});
