import { describe, expect, it } from "vitest";
import { plannedPools } from "../../components/cluster/planned-pools";
import { ANNOTATIONS } from "../../names/labels";
import type { EnvironmentRun } from "../../offline/environment";
import { activeAddons } from "../../stacks/addons/active";
import { platformNamespaces } from "../../stacks/platform-namespaces";
import { awsGround } from "../components/autoscaling/fixture";
import { runWithBeta9 } from "../components/beta9/fixture";
import { Deployment } from "../harness/deploy";
import { metadataOf } from "./kubernetes";
import { changedRun, environments, programRun, sharedRun } from "./run";

/** What a run is said to make, and what it makes. */
function saidAndMade({ environment, plan, recording }: EnvironmentRun) {
  const isMade = environment.cluster.provision === "create";
  const isOke = isMade && environment.cluster.kind === "oci";
  const networkPolicies = isOke ? ("platform" as const) : ("present" as const);
  const gpuSoftware = isMade ? (isOke ? ("addon" as const) : ("platform" as const)) : environment.cluster.gpuSoftware;
  const isEks = isMade && environment.cluster.kind === "aws";
  const said = platformNamespaces(
    {
      environment,
      plan,
      cluster: { networkPolicies, gpuSoftware, pools: plannedPools(plan.pools), ...(isEks && { aws: awsGround() }) },
    },
    activeAddons({ environment, secrets: {} }),
  );
  const made = new Deployment(recording).ofType("kubernetes:core/v1:Namespace").map((each) => metadataOf(each).name);
  return { said: said.toSorted(), made: made.toSorted() };
}

/** The mesh takes a namespace of this list for the platform's own, and every other for somebody else's. */
describe("the list of the platform's namespaces", () => {
  it.each(environments)("is what %s makes", async (name) => {
    const { said, made } = saidAndMade(await programRun(name));
    expect(said).toEqual(made);
  });

  it("is without what somebody else installs", async () => {
    const cluster = { kind: "aws", certManager: "present", gpuExporters: "present" };
    const { said, made } = saidAndMade(await changedRun("aws-prod", { cluster }));
    expect(said).toEqual(made);
    expect(said).toContain("observability");
    expect(said).not.toContain("cert-manager");
    expect(said).not.toContain("gpu-metrics");
  });

  it("has that of GPU software where the platform brings it", async () => {
    const { said, made } = saidAndMade(
      await changedRun("aws-prod", { cluster: { kind: "aws", gpuSoftware: "platform" } }),
    );
    expect(said).toEqual(made);
    expect(said).toContain("gpu-software");
  });

  it("has those of an add-on", async () => {
    const { said, made } = saidAndMade(await runWithBeta9());
    expect(said).toEqual(made);
    expect(said).toContain("beta9");
  });
});

describe("cert-manager", () => {
  it("has connections only where the platform installs it", async () => {
    const connections = ({ recording }: EnvironmentRun) =>
      new Deployment(recording)
        .ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy")
        .map((policy) => metadataOf(policy).annotations[ANNOTATIONS.connections] ?? "")
        .flatMap((listed) => listed.match(/cert-manager-to-[\w-]+/g) ?? []);
    const present = await changedRun("aws-prod", { cluster: { kind: "aws", certManager: "present" } });
    expect(connections(await programRun("aws-prod"))).toContain("cert-manager-to-gateway");
    expect(connections(present)).toEqual([]);
  });
});

/** Names of namespaces by what they say of the mesh. */
function byLabel({ recording }: EnvironmentRun, label: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const namespace of new Deployment(recording).ofType("kubernetes:core/v1:Namespace")) {
    const { name, labels } = metadataOf(namespace);
    const value = labels[label] ?? "nothing";
    found[value] = [...(found[value] ?? []), name].toSorted();
  }
  return found;
}

describe("namespaces in a mesh", () => {
  it("are all but those with a reason: a model over several nodes, agents of nodes", async () => {
    const run = await sharedRun("oci-h100", { mesh: { mode: "ambient" } });
    const { ambient = [], ...others } = byLabel(run, "istio.io/dataplane-mode");
    expect(others).toEqual({
      none: ["calico-system", "fabric-gate", "gpu-metrics", "istio-system", "model-llama-405b", "node-metrics"],
    });
    expect(ambient).toEqual(
      expect.arrayContaining(["inference-gateway", "model-llama-8b", "model-store", "observability"]),
    );
  });

  it("with sidecars, are without Ray and Prometheus too", async () => {
    const run = await sharedRun("aws-prod", { mesh: { mode: "sidecar" } });
    const { enabled = [], ...others } = byLabel(run, "istio-injection");
    expect(others).toEqual({
      disabled: [
        "aws-load-balancers",
        "gpu-metrics",
        "gpu-software",
        "istio-system",
        "karpenter",
        "model-llama-8b",
        "node-metrics",
        "observability",
      ],
    });
    expect(enabled).toEqual(
      expect.arrayContaining(["inference-gateway", "model-llama-70b", "model-store", "ray-system"]),
    );
  });

  it("say nothing of a mesh where there is none", async () => {
    const run = await sharedRun("aws-prod", { mesh: { mode: "off" } });
    expect(Object.keys(byLabel(run, "istio.io/dataplane-mode"))).toEqual(["nothing"]);
    expect(Object.keys(byLabel(run, "istio-injection"))).toEqual(["nothing"]);
  });
});
