import { describe, expect, it } from "vitest";
import { plannedPools } from "../../components/cluster/planned-pools";
import { evaluatePolicies } from "../../policies/evaluate";
import { activeAddons } from "../../stacks/addons/active";
import { platformNamespaces } from "../../stacks/platform-namespaces";
import { crdProblems } from "../harness/crds";
import { changedRun, environments, type ProgramRun, programRun } from "./run";

interface Autoscaler {
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly kind: string; readonly name: string };
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly triggers: readonly { readonly name: string }[];
  };
}

function scaledObjects({ deployment }: ProgramRun): Autoscaler[] {
  return deployment.ofKind("ScaledObject").map(({ inputs }) => {
    expect(crdProblems(inputs)).toEqual([]);
    return inputs as unknown as Autoscaler;
  });
}

function targetOf({ metadata, spec }: Autoscaler): string {
  return [metadata.namespace, spec.scaleTargetRef.kind, spec.scaleTargetRef.name].join(" ");
}

describe("autoscalers", () => {
  it.each(environments)("of %s are those of the plan, each the only one of what it scales", async (name) => {
    const run = await programRun(name);
    const objects = scaledObjects(run);
    const planned = run.plan.models.flatMap(({ name: model, scaling, serverOf }) =>
      scaling && serverOf === undefined ? [[`model-${model}`, scaling.min, scaling.max]] : [],
    );
    expect(
      objects.map(({ metadata, spec }) => [metadata.namespace, spec.minReplicaCount, spec.maxReplicaCount]),
    ).toEqual(planned);
    expect(new Set(objects.map(targetOf)).size).toBe(objects.length);
    expect(run.deployment.ofKind("HorizontalPodAutoscaler")).toEqual([]);
    for (const { spec } of objects) {
      const names = spec.triggers.map((trigger) => trigger.name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it("leave the number of what they scale alone", async () => {
    const run = await programRun("aws-prod");
    const targets = scaledObjects(run).map(targetOf);
    const controllers = run.resources.filter(({ inputs }) => {
      const { kind, metadata } = inputs as { kind?: string; metadata?: { name?: string; namespace?: string } };
      return targets.includes([metadata?.namespace, kind, metadata?.name].join(" "));
    });
    expect(controllers).toHaveLength(targets.length);
    for (const { options } of controllers) {
      expect(options.ignoreChanges).toEqual(["spec.replicas"]);
    }
  });
});

describe("room for spare replicas", () => {
  it("is kept in a namespace of its own that passes every policy", async () => {
    const run = await changedRun("oci-h100", {
      models: {
        "llama-8b": {
          model: "llama-3.1-8b-instruct",
          contextTokens: 4096,
          concurrency: 4,
          replicas: { min: 1, max: 4 },
          pools: ["a10"],
          scaling: { spareReplicas: 1 },
        },
      },
      pools: {
        system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3, maxNodes: 5 },
        a10: { shape: "BM.GPU.A10.4", availabilityDomains: [1], maxNodes: 2 },
      },
    });
    expect(
      run.deployment.ofType("kubernetes:apps/v1:Deployment").filter(({ inputs }) => {
        const { metadata } = inputs as { metadata: { namespace: string } };
        return metadata.namespace === "spare-replicas";
      }),
    ).toHaveLength(1);
    const namespaces = platformNamespaces(
      {
        environment: run.environment,
        plan: run.plan,
        cluster: { networkPolicies: "platform", gpuSoftware: "addon", pools: plannedPools(run.plan.pools) },
      },
      activeAddons({ environment: run.environment, secrets: {} }),
    );
    expect(namespaces).toContain("spare-replicas");
    const { violations } = evaluatePolicies(run.recording.resources, { project: "inference-stacks", stack: "test" });
    expect(violations).toEqual([]);
  });
});
