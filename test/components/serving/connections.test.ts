import { describe, expect, it } from "vitest";
import { modelEndpoints, servingConnections } from "../../../components/serving/serving";
import type { ModelPlan } from "../../../planner/types";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { deployServing } from "./fixture";

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
