import { describe, expect, it } from "vitest";
import { registryVariables } from "../../../components/serving/registry-access";
import { modelEndpoints, servingConnections } from "../../../components/serving/serving";
import type { ModelPlan } from "../../../planner/types";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { deployServing } from "./fixture";

const toRegistry = (registry: Parameters<typeof servingConnections>[2]) =>
  byName(servingConnections([ollamaPlan()], NETWORKS, registry))["model-llama-3b-to-registry"];
const connections = (...models: ModelPlan[]) => byName(servingConnections(models, NETWORKS));

describe("servingConnections", () => {
  it("let Ollama out to its registry on port 443 only, never to private networks or node credentials", () => {
    const namespace = "model-llama-3b";
    const server = { "app.kubernetes.io/name": "ollama", "app.kubernetes.io/instance": "model-llama-3b" };
    expect(connections(ollamaPlan())).toEqual({
      "model-llama-3b-to-registry": {
        from: [{ namespace, podLabels: server }],
        to: [INTERNET],
        ports: [{ port: 443 }],
      },
    });
  });

  it("let Ollama out to a proxy alone, or to the networks of its registry alone, where the environment names them", async () => {
    const proxy = { url: "http://proxy.example.com:3128", networks: ["10.20.0.8/32"] };
    const registryNetworks = ["203.0.113.0/24"];
    const alone = (cidr: string, port: number) => ({ to: [expect.objectContaining({ cidr })], ports: [{ port }] });
    expect(toRegistry({ registryNetworks })).toMatchObject(alone("203.0.113.0/24", 443));
    expect(toRegistry({ proxy, registryNetworks })).toMatchObject(alone("10.20.0.8/32", 3128));
    expect(registryVariables({ proxy })).toEqual([
      { name: "HTTPS_PROXY", value: proxy.url },
      { name: "NO_PROXY", value: "127.0.0.1,localhost" },
    ]);
    expect(registryVariables({ registryNetworks })).toEqual([]);
  });

  it("let vLLM on one node connect nowhere but to the model store, which says so itself", () => {
    expect(connections(modelPlan())).toEqual({});
  });

  it("let the pods of a group talk on all ports, to each other only, and their controller to Kubernetes", () => {
    const group = {
      namespace: "model-llama-405b",
      podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "model-llama-405b" },
    };
    expect(connections(groupPlan())).toMatchObject({
      "model-llama-405b-to-itself": { from: [group], to: [group], ports: undefined },
      "group-controller-to-kubernetes-api": { from: [{ namespace: "lws-system", podLabels: {} }] },
      "kubernetes-api-to-group-controller": {
        to: [{ namespace: "lws-system", podLabels: {} }],
        ports: [{ port: 9443 }],
      },
    });
  });
});

describe("modelEndpoints", () => {
  it("know where models answer before anything is made", async () => {
    const models = [ollamaPlan(), modelPlan(), groupPlan()];
    const { serving } = await deployServing(models);
    expect(modelEndpoints(models, undefined)).toEqual(serving.endpoints);
  });
});
