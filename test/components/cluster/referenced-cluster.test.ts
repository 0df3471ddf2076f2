import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { ClusterMismatchError } from "../../../components/cluster/cluster-mismatch";
import { type ClusterOutputs, outputsOfCluster } from "../../../components/cluster/cluster-outputs";
import { awsLoadBalancer } from "../../../components/cluster/load-balancers";
import { ReferencedCluster, referencedOutputs } from "../../../components/cluster/referenced-cluster";
import { defaultAnswers } from "../../../offline/answers";
import { withOtherStack } from "../../../offline/other-stack";
import { deploy, resolved } from "../../harness/deploy";

const STACK = "acme/inference-stacks/cluster";
const SAID = {
  version: 1,
  kind: "aws",
  kubeconfig: "apiVersion: v1",
  clusterIdentifier: "arn:cluster",
  pools: { cpu: { shape: "m7i.2xlarge", minNodes: 1, maxNodes: 3, labels: { a: "b" }, taints: [], startupTaints: [] } },
  storageClass: "ours",
  volumeClass: { provisioner: "ebs.csi.aws.com", parameters: { kmsKeyId: "arn:key" } },
  volumesGrow: true,
  privateCidrs: ["10.0.0.0/16"],
  apiServerCidrs: ["10.0.0.0/28"],
  networkPolicies: "platform",
  gpuSoftware: "addon",
  loadBalancer: "aws",
  identityGround: {
    kind: "eks",
    clusterArn: "arn:cluster",
    clusterName: "ours",
    region: "us-east-1",
    environment: "ours",
  },
} as const satisfies ClusterOutputs;
const NOTHING = { gpuExporters: "platform", privateCidrs: [], apiServerCidrs: [] } as const;

function deployOn(value: unknown, args: object = {}, preview = false) {
  const answers = withOtherStack(defaultAnswers, () => ({ name: "cluster", value }));
  let cluster: ReferencedCluster | undefined;
  const deployment = deploy(
    async () => {
      const outputs = await referencedOutputs(STACK, { kind: "aws", pools: [] });
      cluster = new ReferencedCluster("cluster", { outputs, ...NOTHING, ...args });
    },
    { answers, preview },
  );
  return deployment.then((made) => ({ made, cluster: cluster as ReferencedCluster }));
}

/** What is made for a service account of a cluster whose stack says this. */
function boundOn(identityGround: object, grants: readonly string[]) {
  const answers = withOtherStack(defaultAnswers, () => ({ name: "cluster", value: { ...SAID, identityGround } }));
  return deploy(
    async () => {
      const outputs = await referencedOutputs(STACK, { kind: "aws", pools: [] });
      const cluster = new ReferencedCluster("cluster", { outputs, ...NOTHING });
      cluster.workloadIdentity?.({ name: "reader", namespace: "secrets", serviceAccount: "reader", grants });
    },
    { answers },
  );
}

describe("a cluster of another stack", () => {
  it.each([{ preview: false }, { preview: true }])("is what its stack says, $preview", async ({ preview }) => {
    const { made, cluster } = await deployOn(SAID, {}, preview);
    expect(cluster).toMatchObject({
      pools: SAID.pools,
      storageClass: "ours",
      volumeClass: SAID.volumeClass,
      volumesGrow: true,
      networkPolicies: "platform",
      gpuSoftware: "addon",
      gpuExporters: "platform",
      privateCidrs: ["10.0.0.0/16"],
      apiServerCidrs: ["10.0.0.0/28"],
    });
    expect(cluster.loadBalancer).toBe(awsLoadBalancer);
    expect(made.resource("pulumi:pulumi:StackReference", "cluster-stack").inputs.name).toBe(STACK);
    const provider = made.resource("pulumi:providers:kubernetes", "cluster-kubernetes");
    expect(provider.inputs).toMatchObject({ kubeconfig: "apiVersion: v1", clusterIdentifier: "arn:cluster" });
    expect(provider.secretInputs).toEqual(["kubeconfig"]);
  });

  it("says of itself what its stack said: nothing gets lost between the two", async () => {
    const { cluster } = await deployOn(SAID);
    const said = outputsOfCluster("aws", cluster);
    expect(await resolved(said as pulumi.Input<unknown>)).toEqual(SAID);
    expect(await (said.kubeconfig as pulumi.Output<string> & { isSecret: Promise<boolean> }).isSecret).toBe(true);
  });

  it("gives service accounts rights in its cloud, and makes nothing there before", async () => {
    const ofEks = await boundOn(SAID.identityGround, [
      JSON.stringify({ Sid: "Read", Effect: "Allow", Action: ["s3:GetObject"], Resource: ["*"] }),
    ]);
    expect(ofEks.resource("pulumi:providers:aws", "cluster-aws").inputs.region).toBe("us-east-1");
    const [association] = ofEks.ofType("aws:eks/podIdentityAssociation:PodIdentityAssociation");
    expect(association?.inputs).toMatchObject({ clusterName: "ours", namespace: "secrets", serviceAccount: "reader" });
    const oke = {
      kind: "oke",
      clusterId: "ocid1.cluster",
      compartmentId: "ocid1.c",
      homeRegion: "eu-frankfurt-1",
      environment: "ours",
    };
    const ofOke = await boundOn(oke, ["read secret-family in compartment id ocid1.c"]);
    expect(ofOke.resource("pulumi:providers:oci", "cluster-home").inputs.region).toBe("eu-frankfurt-1");
    expect(ofOke.resource("oci:Identity/policy:Policy", "cluster-workload-reader").inputs).toMatchObject({
      compartmentId: "ocid1.c",
      statements: [expect.stringContaining("request.principal.cluster_id='ocid1.cluster'")],
    });
    const { made } = await deployOn(SAID);
    expect(["aws", "oci"].flatMap((cloud) => made.ofType(`pulumi:providers:${cloud}`))).toEqual([]);
    expect((await deployOn({ ...SAID, identityGround: undefined })).cluster.workloadIdentity).toBeUndefined();
  });

  it("takes what the environment says instead, or besides", async () => {
    const { cluster } = await deployOn(SAID, {
      storageClass: "theirs",
      privateCidrs: ["172.32.0.0/16", "10.0.0.0/16"],
      apiServerCidrs: ["10.9.0.0/28"],
    });
    expect(cluster).toMatchObject({
      storageClass: "theirs",
      volumeClass: undefined,
      privateCidrs: ["172.32.0.0/16", "10.0.0.0/16"],
      apiServerCidrs: ["10.9.0.0/28"],
    });
  });

  it("is reached by the ambient kubeconfig where its stack gives none", async () => {
    const { kubeconfig, clusterIdentifier, ...rest } = SAID;
    const { made, cluster } = await deployOn(rest, { kubeContext: "edge" });
    expect(cluster.kubeconfig).toBeUndefined();
    const { inputs } = made.resource("pulumi:providers:kubernetes", "cluster-kubernetes");
    expect(inputs).toMatchObject({ context: "edge" });
    expect(inputs).not.toHaveProperty("kubeconfig");
  });

  it("stops the program before any resource of the platform where its stack says something else", async () => {
    await expect(deployOn(undefined)).rejects.toThrow(ClusterMismatchError);
    await expect(deployOn({ ...SAID, kind: "oci" })).rejects.toThrow("that stack made a cluster of kind oci");
  });
});
