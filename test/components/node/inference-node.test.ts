import { describe, expect, it } from "vitest";
import { nodeConfig } from "../../../components/node/envoy-config";
import { modelPlan, sharedOllamaPlans } from "../../harness/plans";
import { container, deployServing, type PodSpec, podTemplate, preStop, specOf } from "../serving/fixture";
import { deployNode, deployPods, engineContainer, NODE_KINDS, nodeModel } from "./node-pods";

const CONFIG_HASH = "inference-stacks.io/config-hash";

/** What a pod asks for as Kubernetes counts it: the largest of what runs at once (KEP-753, sidecars). */
function requested({ initContainers = [], containers }: PodSpec, resource: string, unit: (text: string) => number) {
  const of = ({ resources }: PodSpec["containers"][number]) => unit(resources.requests[resource] ?? "0");
  let sidecars = 0;
  let most = 0;
  for (const each of initContainers) {
    if (each.restartPolicy === "Always") {
      sidecars += of(each);
    } else {
      most = Math.max(most, sidecars + of(each));
    }
  }
  return Math.max(most, sidecars + containers.reduce((sum, each) => sum + of(each), 0));
}

const cores = (text: string) => (text.endsWith("m") ? Number(text.slice(0, -1)) / 1000 : Number(text));
const gibibytes = (text: string) =>
  text.endsWith("Mi") ? Number(text.slice(0, -2)) / 1024 : Number(text.slice(0, -2) || 0);

describe.each(NODE_KINDS)("a node of %s", (kind) => {
  it("has its Envoy first and for good, ready while the engine is, alive by itself", async () => {
    const { node } = await deployNode(kind);
    expect(node.spec.initContainers?.[0]).toMatchObject({
      name: "node",
      restartPolicy: "Always",
      command: ["envoy"],
      args: expect.arrayContaining(["--config-path", "/etc/inference-node/envoy.json"]),
      volumeMounts: [{ name: "inference-node", mountPath: "/etc/inference-node", readOnly: true }],
      readinessProbe: { httpGet: { path: "/health", port: "node" } },
      livenessProbe: { httpGet: { path: "/ready", port: "node-metrics" } },
      ports: [
        { name: "node", containerPort: 9080 },
        { name: "node-metrics", containerPort: 9081 },
      ],
    });
    expect(node.spec.initContainers?.[0]).not.toHaveProperty("startupProbe");
    expect(node.spec.containers.map(({ name }) => name)).toEqual([engineContainer(kind)]);
  });

  it("claims GPUs in the engine's container alone, and is no larger than planned", async () => {
    const { node } = await deployNode(kind);
    const { resources } = nodeModel(kind);
    const claiming = [...(node.spec.initContainers ?? []), ...node.spec.containers].filter(
      ({ resources: { limits } }) => limits["nvidia.com/gpu"] !== undefined,
    );
    expect(claiming.map(({ name }) => name)).toEqual([engineContainer(kind)]);
    expect(requested(node.spec, "cpu", cores)).toBeCloseTo(resources.cpu, 6);
    expect(requested(node.spec, "memory", gibibytes)).toBeCloseTo(resources.memoryGiB, 6);
    expect(requested(node.spec, "ephemeral-storage", gibibytes)).toBeCloseTo(resources.ephemeralStorageGiB, 6);
  });

  it("asks for what it may use: Guaranteed, in all of its containers", async () => {
    const { node } = await deployNode(kind);
    for (const { resources } of [...(node.spec.initContainers ?? []), ...node.spec.containers]) {
      expect(resources.requests).toEqual(resources.limits);
    }
  });

  it("answers at the model's Service on 9080, beside the engine", async () => {
    const { deployment, serving } = await deployNode(kind);
    const [endpoint] = serving.endpoints;
    expect(endpoint?.node).toEqual({
      group: "inference-cluster",
      port: 9080,
      metrics: [{ name: "node", port: 9081, path: "/stats/prometheus" }],
    });
    const services = deployment
      .ofType("kubernetes:core/v1:Service")
      .filter(({ inputs }) => (inputs.metadata as { name: string }).name === endpoint?.service);
    expect(services.map((service) => specOf(service))).toEqual([
      expect.objectContaining({
        selector: endpoint?.podLabels,
        ports: expect.arrayContaining([{ name: "node", port: 9080, targetPort: "node" }]),
      }),
    ]);
  });

  it("has the configuration of its engine's port, and rolls when that changes", async () => {
    const { deployment, node, serving } = await deployNode(kind);
    const model = nodeModel(kind);
    const told = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .filter(({ inputs }) => (inputs.metadata as { name: string }).name === "inference-node")
      .map(({ inputs }) => JSON.parse((inputs.data as Record<string, string>)["envoy.json"] ?? "{}"));
    const { openai, "kserve-http": kserve } = serving.endpoints[0]?.ports ?? {};
    const enginePort = openai ?? kserve;
    if (enginePort === undefined) {
      throw new Error(`${kind} answers nowhere`);
    }
    expect(told).toEqual([JSON.parse(JSON.stringify(nodeConfig({ model, enginePort })))]);
    expect(container(node.spec, "node").volumeMounts[0]).toMatchObject({ mountPath: "/etc/inference-node" });
    const { pods } = await deployPods(kind, { node: undefined });
    const before = pods.map(({ metadata }) => metadata.annotations[CONFIG_HASH]);
    expect(before).not.toContain(undefined);
    expect(before).not.toContain(node.metadata.annotations[CONFIG_HASH]);
  });
});

describe("what is no node", () => {
  it.each(["vLLM over nodes", "vLLM in two kinds of pods"] as const)(
    "are the pods of %s that answer nobody",
    async (kind) => {
      const { others, node } = await deployNode(kind);
      expect(others).toHaveLength(1);
      for (const { spec } of others) {
        expect(spec.initContainers?.map(({ name }) => name)).not.toContain("node");
        // Their engine is as large as a node's: the layout is one of equals.
        const engine = engineContainer(kind);
        const gpus = (pod: PodSpec) => container(pod, engine).resources.limits["nvidia.com/gpu"];
        expect(gpus(spec)).toBe(gpus(node.spec));
      }
    },
  );

  it("are the pods of a model that is in no group", async () => {
    const { deployment, serving } = await deployServing([modelPlan()]);
    const { spec } = podTemplate(
      deployment.resource("kubernetes:apps/v1:Deployment", "serving-llama-8b-server-deployment"),
    );
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(["fetch-weights"]);
    expect(serving.endpoints[0]).not.toHaveProperty("node");
  });

  it("is a guest on a node's server: the group is its host's", async () => {
    const { serving } = await deployServing(sharedOllamaPlans(nodeModel("Ollama")));
    expect(serving.endpoints.map(({ model, node }) => [model, node?.group])).toEqual([
      ["llama-3b", "inference-cluster"],
      ["finder", undefined],
    ]);
  });
});

describe("a node that leaves", () => {
  it("waits for requests that came through its Envoy where the engine would cut them", async () => {
    const { node } = await deployNode("Ollama");
    // 11434 and 9080.
    expect(preStop(container(node.spec, "ollama"))).toMatch(/:2CAA.*:2378/s);
  });
});
