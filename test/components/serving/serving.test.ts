import { describe, expect, it } from "vitest";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";
import { deployServing } from "./fixture";

describe("Serving", () => {
  it("serves each model by its engine and the nodes of its replicas, in the plan's order", async () => {
    const { deployment, serving } = await deployServing([ollamaPlan(), groupPlan(), modelPlan()]);
    expect(serving.endpoints.map((e) => e.model)).toEqual(["llama-3b", "llama-405b", "llama-8b"]);
    expect(deployment.ofType("inference:serving:OllamaServer").map((r) => r.name)).toEqual(["serving-llama-3b"]);
    expect(deployment.ofType("inference:serving:VllmGroup").map((r) => r.name)).toEqual(["serving-llama-405b"]);
    expect(deployment.ofType("inference:serving:VllmServer").map((r) => r.name)).toEqual(["serving-llama-8b"]);
  });

  it("refuses a replica over several nodes where the engine cannot do that", async () => {
    await expect(deployServing([ollamaPlan({ nodesPerReplica: 2 })])).rejects.toThrow(
      "models.llama-3b: ollama cannot spread a replica over 2 nodes",
    );
  });

  it("keeps every model in a namespace of its own", async () => {
    const { deployment } = await deployServing([modelPlan(), modelPlan({ name: "other" })]);
    const names = deployment
      .ofType("kubernetes:core/v1:Namespace")
      .map((n) => (n.inputs.metadata as { name: string }).name);
    expect(names).toEqual(expect.arrayContaining(["model-llama-8b", "model-other"]));
  });
});
