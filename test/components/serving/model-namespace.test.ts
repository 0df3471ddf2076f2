import { describe, expect, it } from "vitest";
import { modelQuota } from "../../../components/serving/model-namespace";
import { groupPlan, ollamaPlan } from "../../harness/plans";

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
