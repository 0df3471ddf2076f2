/** Weights as an image volume: the real API server admits the rendered pods where Pod Security "restricted" is enforced. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { changedRun } from "../stacks/run";

const REFERENCE = `registry.example.com/team/llama:v3@sha256:${"a".repeat(64)}`;
const NAMESPACE = "model-chat";

interface Volume {
  readonly name: string;
}

interface Template {
  readonly metadata: object;
  readonly spec: { readonly volumes: readonly Volume[] };
}

const environment = {
  stage: "development",
  cluster: { kind: "local" },
  pools: { gpu: { node: { card: "a100-80gb", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } },
  models: { chat: { model: "llama-3.1-8b-instruct", source: `oci://${REFERENCE}`, concurrency: 2 } },
  storage: { imageVolumes: true },
  gateway: { hostname: "inference.example.internal", exposure: "ClusterIP", tls: { kind: "self-signed" } },
  observability: { alerts: "none" },
};

describe("a model as an image volume, on a real API server", () => {
  let plane: ControlPlane;
  let objects: readonly KubernetesObject[];

  beforeAll(async () => {
    const [started, { resources }] = await Promise.all([
      ControlPlane.start({ controllers: true }),
      changedRun("dev", environment),
    ]);
    plane = started;
    objects = recordedObjects(resources);
    for (const object of objects.filter(isAround)) {
      await plane.client.apply(object);
    }
  });
  afterAll(() => plane?.stop());

  it("is admitted with its folder of the image, to read, and none of its fields is dropped", async () => {
    const deployment =
      objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.namespace === NAMESPACE) ??
      expect.fail("the model has no Deployment");
    const { template } = (deployment as unknown as { spec: { template: Template } }).spec;
    const pod = (name: string, changeOf: (volume: Volume) => Volume) =>
      plane.client.create({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { ...template.metadata, name, namespace: NAMESPACE },
        spec: { ...template.spec, volumes: template.spec.volumes.map(changeOf) },
      } as KubernetesObject);
    const ofTheHost = (volume: Volume) =>
      volume.name === "model" ? { name: volume.name, hostPath: { path: "/srv" } } : volume;
    await expect(pod("host", ofTheHost)).rejects.toThrow(/violates PodSecurity "restricted/);
    await pod("chat", (volume) => volume);
    expect((await plane.client.list("v1", "Pod"))[0]).toMatchObject({
      spec: {
        volumes: expect.arrayContaining([
          { name: "model", image: { reference: REFERENCE, pullPolicy: "IfNotPresent" } },
        ]),
        containers: expect.arrayContaining([
          expect.objectContaining({
            volumeMounts: expect.arrayContaining([
              { name: "model", mountPath: "/models/current", readOnly: true, subPath: "models" },
            ]),
          }),
        ]),
      },
    });
  });

  /** Its namespace and what pods refer to. */
  function isAround({ kind, metadata }: KubernetesObject): boolean {
    return (
      kind === "PriorityClass" ||
      (kind === "Namespace" && metadata.name === NAMESPACE) ||
      (metadata.namespace === NAMESPACE && ["ConfigMap", "ServiceAccount"].includes(kind))
    );
  }
});
