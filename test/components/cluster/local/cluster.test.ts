import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { LocalCluster } from "../../../../components/cluster/local/cluster";
import type { LocalClusterSettings } from "../../../../components/cluster/local/settings";
import { repositoryRoot } from "../../../../names/repository-root";
import { type Deployment, deploy, resolved } from "../../../harness/deploy";

const COMMAND = "command:local:Command";
const SETTINGS: LocalClusterSettings = {
  environment: "dev",
  tool: "k3d",
  engine: "docker",
  nodeImage: "docker.io/rancher/k3s:v1.36.4-k3s1",
};

async function make(
  changes: Partial<LocalClusterSettings> = {},
  storageClass?: string,
  seen?: pulumi.ResourceTransformation,
) {
  let cluster: LocalCluster | undefined;
  const deployment: Deployment = await deploy(() => {
    cluster = new LocalCluster(
      "cluster",
      {
        settings: { ...SETTINGS, ...changes },
        pools: [],
        storageClass,
        gpuExporters: "platform",
        privateCidrs: ["172.32.0.0/16"],
        apiServerCidrs: [],
      },
      seen && { transformations: [seen] },
    );
  });
  return { deployment, cluster: cluster as unknown as LocalCluster };
}

const script = readFileSync(
  join(repositoryRoot(), "components", "cluster", "local", "scripts", "local-cluster.sh"),
  "utf8",
);

describe("LocalCluster", () => {
  it("runs one script, whole in its inputs, so that the state alone removes the cluster again", async () => {
    const { deployment } = await make();
    const { inputs } = deployment.resource(COMMAND, "cluster-k3d-docker");
    expect(inputs).toEqual({
      create: "sh -s create # k3d: inference-dev",
      delete: "sh -s delete # k3d: inference-dev",
      stdin: script,
      environment: {
        TOOL: "k3d",
        ENGINE: "docker",
        CLUSTER: "inference-dev",
        OWNER: "offline-cluster-owner",
        NODE_IMAGE: "docker.io/rancher/k3s:v1.36.4-k3s1",
        INSTALL: "https://k3d.io",
      },
      addPreviousOutputInEnv: false,
      logging: "stderr",
    });
  });

  it("keeps what the script prints secret in the state", async () => {
    const asked: unknown[] = [];
    await make({}, undefined, ({ type, opts }) => {
      if (type === COMMAND) {
        asked.push((opts as pulumi.CustomResourceOptions).additionalSecretOutputs);
      }
      return undefined;
    });
    expect(asked).toEqual([["stdout"]]);
  });

  it("never has triggers: they would make the cluster again, and remove both", async () => {
    const { deployment } = await make();
    expect(deployment.ofType(COMMAND).map(({ inputs }) => "triggers" in inputs)).toEqual([false]);
  });

  it("is another resource, and another cluster to Kubernetes' provider, with another tool or engine", async () => {
    const { deployment } = await make({ tool: "kind", engine: "podman" });
    expect(deployment.ofType(COMMAND).map(({ name }) => name)).toEqual(["cluster-kind-podman"]);
    expect(deployment.resource("random:index/randomId:RandomId", "cluster-owner").inputs).toEqual({
      byteLength: 8,
      keepers: { tool: "kind", engine: "podman", cluster: "inference-dev" },
    });
    const { inputs } = deployment.resource("pulumi:providers:kubernetes", "cluster-kubernetes");
    expect(inputs).toMatchObject({ clusterIdentifier: "offline-cluster-owner" });
  });

  it("keeps its kubeconfig secret", async () => {
    const { cluster } = await make();
    expect(await resolved(pulumi.output(pulumi.isSecret(cluster.kubeconfig)))).toBe(true);
    expect(await resolved(cluster.kubeconfig)).toBe("offline-cluster-k3d-docker");
  });

  it("takes all of the platform with it, on the class that its tool brings", async () => {
    const { cluster } = await make({ tool: "kind" });
    expect(cluster.ready).toEqual([cluster.deletedWith]);
    expect(cluster).toMatchObject({ storageClass: "standard", volumesGrow: false, privateCidrs: ["172.32.0.0/16"] });
    expect((await make({}, "fast")).cluster.storageClass).toBe("fast");
  });
});
