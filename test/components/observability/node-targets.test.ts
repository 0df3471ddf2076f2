import { describe, expect, it } from "vitest";
import { monitors } from "../../../components/observability/monitors";
import { distinctTargets, modelTargets, nodeTargets } from "../../../components/observability/targets";
import type { ModelEndpoint } from "../../../components/serving/endpoint";
import { deploy } from "../../harness/deploy";
import { ENDPOINTS } from "./fixture";

const node: ModelEndpoint["node"] = {
  group: "inference-cluster",
  port: 9080,
  metrics: [
    { name: "node", port: 9081, path: "/stats/prometheus" },
    { name: "registration", port: 9082, path: "/metrics" },
  ],
};
const [chat, small] = ENDPOINTS;

function nodes(): ModelEndpoint[] {
  if (!chat || !small) {
    throw new Error("the fixture has two models");
  }
  const canary = { ...chat, model: "chat-next", namespace: "model-chat-next" };
  const labels = { ...chat.podLabels, "app.kubernetes.io/instance": "chat-next" };
  return [{ ...chat, node }, { ...canary, podLabels: labels, node }, small];
}

describe("nodeTargets", () => {
  it("are all that nodes have metrics of, and nothing of a model in no group", () => {
    expect(
      nodeTargets(nodes()).map(({ name, namespace, port, labels }) => ({ name, namespace, port, labels })),
    ).toEqual([
      { name: "node-chat", namespace: "model-chat", port: 9081, labels: { group: "inference-cluster" } },
      { name: "registration-chat", namespace: "model-chat", port: 9082, labels: { group: "inference-cluster" } },
      { name: "node-chat-next", namespace: "model-chat-next", port: 9081, labels: { group: "inference-cluster" } },
      {
        name: "registration-chat-next",
        namespace: "model-chat-next",
        port: 9082,
        labels: { group: "inference-cluster" },
      },
    ]);
    expect(() => distinctTargets([...modelTargets(nodes()), ...nodeTargets(nodes())])).not.toThrow();
  });

  it("share a monitor with their canary's, which says group, model and machine of each", async () => {
    const deployment = await deploy(() =>
      monitors("monitors", { namespace: "observability", targets: nodeTargets(nodes()) }, {}),
    );
    const found = deployment.ofKind("PodMonitor").map(({ inputs }) => inputs) as {
      metadata: { name: string };
      spec: {
        namespaceSelector: object;
        podMetricsEndpoints: { portNumber: number; relabelings: { targetLabel: string }[] }[];
      };
    }[];
    expect(found.map(({ metadata }) => metadata.name)).toEqual([
      "nodes-inference-cluster-vllm",
      "registrations-inference-cluster-vllm",
    ]);
    const [{ spec } = { spec: undefined }] = found;
    expect(spec?.namespaceSelector).toEqual({ matchNames: ["model-chat", "model-chat-next"] });
    const [endpoint] = spec?.podMetricsEndpoints ?? [];
    expect(endpoint?.portNumber).toBe(9081);
    expect(endpoint?.relabelings.map(({ targetLabel }) => targetLabel)).toEqual(["node", "model", "group"]);
  });
});
