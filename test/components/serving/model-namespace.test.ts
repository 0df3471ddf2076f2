import { describe, expect, it } from "vitest";
import { modelQuota } from "../../../components/serving/model-namespace";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { deployServing, specOf } from "./fixture";

const POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";

async function policies(model = modelPlan()) {
  const { deployment } = await deployServing([model]);
  const inNamespace = deployment
    .ofType(POLICY)
    .filter((p) => (p.inputs.metadata as { namespace: string }).namespace === `model-${model.name}`);
  return Object.fromEntries(inNamespace.map((p) => [(p.inputs.metadata as { name: string }).name, specOf(p)]));
}

describe("ModelNamespace", () => {
  it("lets in the gateway and Prometheus, and out to names and the model store", async () => {
    const granted = await policies();
    expect(Object.keys(granted).sort()).toEqual([
      "allow-dns",
      "allow-gateway",
      "allow-metrics",
      "allow-model-store",
      "default-deny",
    ]);
    expect(granted["allow-gateway"]).toEqual({
      podSelector: {},
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "inference-gateway" } },
              podSelector: { matchLabels: { proxy: "envoy" } },
            },
          ],
          ports: [{ port: 8000, protocol: "TCP" }],
        },
      ],
    });
    expect(granted["allow-model-store"]).toMatchObject({
      policyTypes: ["Egress"],
      egress: [{ ports: [{ port: 9000, protocol: "TCP" }] }],
    });
  });

  it("lets Ollama out to its registry on port 443 only, never to private networks or node credentials", async () => {
    const granted = await policies(ollamaPlan());
    expect(granted["allow-metrics"]).toBeUndefined();
    expect(granted["allow-registry"]).toEqual({
      podSelector: { matchLabels: { "app.kubernetes.io/name": "ollama" } },
      policyTypes: ["Egress"],
      egress: [
        {
          to: [
            {
              ipBlock: {
                cidr: "0.0.0.0/0",
                except: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"],
              },
            },
          ],
          ports: [{ port: 443, protocol: "TCP" }],
        },
      ],
    });
  });

  it("lets the pods of a group talk on all ports, to each other only", async () => {
    const granted = await policies(groupPlan());
    const pods = {
      podSelector: {
        matchLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "model-llama-405b" },
      },
    };
    expect(granted["allow-group"]).toEqual({
      ...pods,
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [pods] }],
      egress: [{ to: [pods] }],
    });
  });
});

describe("modelQuota", () => {
  it("bounds the planned maximum and one replica that is being replaced, and forbids doors of its own", () => {
    expect(modelQuota(groupPlan({ maxReplicas: 2 }))).toEqual({
      pods: "9",
      "requests.cpu": "1300",
      "requests.memory": "7688Gi",
      "requests.nvidia.com/gpu": "48",
      "services.loadbalancers": "0",
      "services.nodeports": "0",
    });
  });

  it("names no GPU where the plan has none", () => {
    expect(modelQuota(ollamaPlan({ maxReplicas: 1 }))).toEqual({
      pods: "5",
      "requests.cpu": "12",
      "requests.memory": "20Gi",
      "services.loadbalancers": "0",
      "services.nodeports": "0",
    });
  });
});
