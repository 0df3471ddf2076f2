import { describe, expect, it } from "vitest";
import { modelControlConnections } from "../../../components/model-control/connections";
import { modelControlPods, modelRelayPods, queuePods, warmModelsPods } from "../../../components/model-control/names";
import { modelEndpoints } from "../../../components/serving/serving";
import { byName, NETWORKS } from "../../harness/connections";
import { groupPlan, modelPlan, ollamaPlan } from "../../harness/plans";

function connections(warmModels: boolean) {
  const control = { client: modelControlPods, spareStorageGiB: 0 };
  const endpoints = modelEndpoints([ollamaPlan(), modelPlan(), groupPlan()], control);
  return byName(modelControlConnections({ endpoints, networks: NETWORKS, warmModels }));
}

describe("modelControlConnections", () => {
  it("let the API out to its queue, Kubernetes and the engines that it can drive, its Job in", () => {
    const granted = connections(true);
    expect(Object.keys(granted)).toEqual([
      "model-control-to-queue",
      "model-control-to-kubernetes-api",
      "model-control-to-model-llama-3b",
      "model-control-to-model-llama-8b",
      "model-relay-to-model-llama-3b",
      "warm-models-to-model-control",
    ]);
    expect(granted["model-control-to-queue"]).toEqual({
      from: [modelControlPods],
      to: [queuePods],
      ports: [{ port: 6379 }],
    });
    expect(granted["model-control-to-model-llama-3b"]).toEqual({
      from: [modelControlPods],
      to: [
        {
          namespace: "model-llama-3b",
          podLabels: { "app.kubernetes.io/name": "ollama", "app.kubernetes.io/instance": "model-llama-3b" },
        },
      ],
      ports: [{ port: 11434 }],
    });
    // Its models come and go; what vLLM has, the gateway's routes know.
    expect(granted["model-relay-to-model-llama-3b"]).toMatchObject({
      from: [modelRelayPods],
      ports: [{ port: 11434 }],
    });
    expect(granted["warm-models-to-model-control"]).toEqual({
      from: [warmModelsPods],
      to: [modelControlPods],
      ports: [{ port: 1994 }],
    });
  });

  it("need no way in where no Job fetches models", () => {
    expect(Object.keys(connections(false)).filter((name) => name.endsWith("-to-model-control"))).toEqual([]);
  });
});
