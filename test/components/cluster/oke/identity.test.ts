import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { OkeIdentity, workloadIdentity } from "../../../../components/cluster/oke/identity";
import type { IdentityBinder } from "../../../../components/core/cluster";
import { deploy } from "../../../harness/deploy";
import { settings } from "./fixture";

const POLICY = "oci:Identity/policy:Policy";
const TAGS = { "inference-stacks-environment": "test" };

function identityOf(poolStatements: readonly string[], keysIn: string) {
  return deploy(() => {
    const keys = {
      compartmentId: keysIn,
      secretsKeyId: pulumi.output("secrets"),
      volumesKeyId: pulumi.output("volumes"),
    };
    new OkeIdentity("cluster-identity", { settings: settings(), keys, poolStatements });
  });
}

describe("OkeIdentity", () => {
  it("lets the cluster and its pools use their keys, and nothing else", async () => {
    const deployment = await identityOf([], "ocid1.compartment.oc1..security");
    const of = "compartment id ocid1.compartment.oc1..security";
    expect(deployment.ofType(POLICY).map(({ name, inputs }) => ({ name, inputs }))).toEqual([
      {
        name: "cluster-identity-keys",
        inputs: {
          compartmentId: "ocid1.compartment.oc1..security",
          description: "Keys of the OKE cluster test: secrets, disks and volumes",
          statements: [
            `Allow any-user to use keys in ${of} where ALL {request.principal.type='cluster', target.key.id='secrets'}`,
            `Allow service blockstorage to use keys in ${of} where target.key.id='volumes'`,
            `Allow any-user to use key-delegates in ${of} where ALL {request.principal.type='nodepool', target.key.id='volumes'}`,
            `Allow any-user to use key-delegates in ${of} where ALL {request.principal.type='cluster', target.key.id='volumes'}`,
          ],
          freeformTags: TAGS,
        },
      },
    ]);
  });

  it("writes what pools need in the compartment of the cluster", async () => {
    const statement = "Allow any-user to {COMPUTE_CLUSTER_LAUNCH_INSTANCE} in compartment id c";
    const deployment = await identityOf([statement], "ocid1.compartment.oc1..security");
    expect(deployment.resource(POLICY, "cluster-identity-pools").inputs).toEqual({
      compartmentId: "ocid1.compartment.oc1..c",
      description: "Node pools of the OKE cluster test",
      statements: [statement],
      freeformTags: TAGS,
    });
  });
});

describe("workload identity", () => {
  it("gives a service account of this cluster its rights by a policy, which it waits for, and no annotation", async () => {
    let made: ReturnType<IdentityBinder> | undefined;
    const deployment = await deploy(() => {
      const bind = workloadIdentity(
        { settings: settings(), clusterId: pulumi.output("ocid1.cluster.oc1..x"), policyName: (of) => `cluster-${of}` },
        {},
      );
      made = bind({
        name: "autoscaler",
        namespace: "kube-system",
        serviceAccount: "cluster-autoscaler",
        grants: ["use subnets in compartment id c", pulumi.output("inspect compartments in compartment id c")],
      });
    });
    const where =
      "where ALL {request.principal.type='workload', request.principal.namespace='kube-system', request.principal.service_account='cluster-autoscaler', request.principal.cluster_id='ocid1.cluster.oc1..x'}";
    expect(deployment.resource(POLICY, "cluster-autoscaler").inputs).toEqual({
      compartmentId: "ocid1.compartment.oc1..c",
      description: "Service account kube-system/cluster-autoscaler of the OKE cluster test",
      statements: [
        `Allow any-user to use subnets in compartment id c ${where}`,
        `Allow any-user to inspect compartments in compartment id c ${where}`,
      ],
      freeformTags: TAGS,
    });
    expect(made?.annotations).toEqual({});
    expect(made?.ready).toHaveLength(1);
  });
});
