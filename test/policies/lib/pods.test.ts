import { describe, expect, test } from "vitest";
import { podTemplates } from "../../../policies/lib/pods";
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
    expect(pods.flatMap(({ containers }) => containers).map(({ name }) => name)).toEqual(["copy", "engine"]);
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

test("claim templates are no pods", () => {
  const spec = { volumeClaimTemplates: [{ spec: { storageClassName: "fast" } }] };
  expect(read(object("apps/v1", "StatefulSet", { spec })).pods).toEqual([]);
});

test("a definition of custom resources only describes pods", () => {
  const spec = { containers: [container()] };
  expect(read(object("apiextensions.k8s.io/v1", "CustomResourceDefinition", { spec })).pods).toEqual([]);
});

test.each([
  ["a patch of pods that an operator makes", { patch: { value: { spec: { containers: [{ name: "envoy" }] } } } }],
  ["a security context alone", { pod: { securityContext: { runAsNonRoot: true } } }],
  ["one container under its own name", { container: { image: "busybox:1.37" } }],
  ["volumes of a pod", { pod: { volumes: [{ name: "tmp", emptyDir: {} }] } }],
])("%s is a part of a pod", (_, envoyDeployment) => {
  const { pods } = read(object("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", { spec: { envoyDeployment } }));
  expect(pods.map(({ isPartial }) => isPartial)).toEqual([true]);
});

test("a pod under any key is one, and what a patch of an object leaves out is not missing", () => {
  const predictor = { containers: [container()] };
  const { pods } = read(object("serving.kserve.io/v1beta1", "InferenceService", { spec: { predictor } }));
  expect(pods.map(({ spec, isPartial }) => [spec.path, isPartial])).toEqual([["spec.predictor", false]]);
  const patched = read(object("apps/v1", "DeploymentPatch", { spec: { template: { spec: podSpec() } } }));
  expect(patched.pods.map(({ isPartial }) => isPartial)).toEqual([true]);
});

test.each([
  ["template", { template: UNKNOWN }, "spec.template"],
  ["pod", { template: { spec: UNKNOWN } }, "spec.template.spec"],
])("an unknown %s is remembered", (_, spec, path) => {
  const { pods, unknownPaths } = read(object("apps/v1", "Deployment", { spec }));
  expect(pods.flatMap(({ containers }) => containers)).toEqual([]);
  expect([...unknownPaths]).toEqual([path]);
});
