import { describe, expect, it } from "vitest";
import { storeConnections } from "../../../components/storage/connections";
import { modelStorePods } from "../../../components/storage/store-layout";
import type { ModelPlan } from "../../../planner/types";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { modelPlan, ollamaPlan, storagePlan } from "../../harness/plans";

const store = { namespace: "model-store", podLabels: modelStorePods.podLabels };
const syncJobs = { namespace: "model-store", podLabels: { "app.kubernetes.io/name": "model-sync" } };

const connectionsOf = (...models: ModelPlan[]) => storeConnections({ models, storage: storagePlan(models) }, NETWORKS);

describe("storeConnections", () => {
  it("let in the models' namespaces and the store's own Jobs; of these only sync Jobs reach the internet", () => {
    const connections = byName(connectionsOf(modelPlan(), ollamaPlan()));
    expect(connections).toMatchObject({
      "jobs-to-model-store": {
        from: [{ namespace: "model-store", podLabels: {} }],
        to: [store],
        ports: [{ port: 9000 }],
      },
      "models-to-model-store": {
        from: [{ namespace: "model-llama-8b", podLabels: {} }],
        to: [store],
        ports: [{ port: 9000 }],
      },
      "model-sync-to-hugging-face": { from: [syncJobs], to: [INTERNET], ports: [{ port: 443 }] },
      "model-sync-to-kubernetes-api": { from: [syncJobs] },
    });
    expect(Object.keys(connections)).toHaveLength(4);
  });

  it("grant nobody by an empty list, which Kubernetes reads as everybody", () => {
    expect(Object.keys(byName(connectionsOf(ollamaPlan())))).toEqual(["jobs-to-model-store"]);
  });

  it("let nothing out for models that somebody put into the bucket", () => {
    const model = modelPlan({ source: { kind: "bucket", uri: "s3://models/own/tuned" } });
    expect(Object.keys(byName(connectionsOf(model)))).toEqual(["jobs-to-model-store", "models-to-model-store"]);
  });
});
