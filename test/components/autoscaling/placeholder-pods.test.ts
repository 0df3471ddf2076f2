import { describe, expect, it } from "vitest";
import { placeholderPods, withSpareReplicas } from "../../../components/autoscaling/placeholder-pods";
import { SPARE_PRIORITY } from "../../../components/core/priority-classes";
import { deploy } from "../../harness/deploy";
import { scaledGroup, scaledModel, scalingPlan } from "./scaled";

const models = [scaledModel(scalingPlan({ spareReplicas: 2 })), scaledGroup(scalingPlan({ max: 2, spareReplicas: 1 }))];

function deployed() {
  return deploy(() => placeholderPods("spare", models, {}));
}

describe("pods that keep room", () => {
  it("are as large as a replica's, on its nodes, and leave at once", async () => {
    const deployment = await deployed();
    const { metadata, spec } = deployment.resource("kubernetes:apps/v1:Deployment", "spare-llama-8b").inputs as {
      metadata: object;
      spec: { template: { spec: { containers: object[] } } };
    };
    expect(metadata).toMatchObject({
      namespace: "spare-replicas",
      annotations: { "pulumi.com/skipAwait": "true" },
    });
    const resources = {
      cpu: "14",
      memory: "56Gi",
      "ephemeral-storage": "33Gi",
      "nvidia.com/gpu": "1",
    };
    expect(spec).toMatchObject({
      replicas: 2,
      strategy: { type: "Recreate" },
      template: {
        spec: {
          nodeSelector: { "inference-stacks.io/pool": "a10" },
          tolerations: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
          priorityClassName: "inference-spare",
          terminationGracePeriodSeconds: 0,
          automountServiceAccountToken: false,
        },
      },
    });
    expect(spec.template.spec.containers).toEqual([
      expect.objectContaining({
        name: "pause",
        image: expect.stringMatching(/^registry\.k8s\.io\/pause:3\.10\.2@sha256:/),
        resources: { requests: resources, limits: resources },
      }),
    ]);
  });

  it("are as many as the nodes of a replica that spans them", async () => {
    const deployment = await deployed();
    expect(deployment.resource("kubernetes:apps/v1:Deployment", "spare-llama-405b").inputs.spec).toMatchObject({
      replicas: 2,
    });
  });

  it("give way to everything, take nobody's place, and still get nodes", async () => {
    const deployment = await deployed();
    expect(deployment.resource("kubernetes:scheduling.k8s.io/v1:PriorityClass", "spare-priority").inputs).toMatchObject(
      {
        metadata: { name: "inference-spare" },
        value: -1,
        preemptionPolicy: "Never",
        globalDefault: false,
      },
    );
    expect(SPARE_PRIORITY.value).toBeGreaterThanOrEqual(-10);
  });

  it("have a closed namespace that holds so many and no more", async () => {
    const deployment = await deployed();
    expect(deployment.resource("kubernetes:core/v1:ResourceQuota", "spare-ns-quota").inputs.spec).toEqual({
      hard: {
        pods: "4",
        "requests.cpu": "460",
        "requests.memory": "2672Gi",
        "requests.nvidia.com/gpu": "18",
      },
    });
    expect(deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").length).toBeGreaterThan(0);
  });

  it("are there only for models that ask for them", async () => {
    expect(withSpareReplicas([scaledModel(scalingPlan())])).toEqual([]);
  });
});
