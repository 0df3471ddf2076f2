import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { podTrust } from "../../../../components/cluster/eks/iam-document";
import { workloadIdentity } from "../../../../components/cluster/eks/pod-identity";
import type { IdentityBinder } from "../../../../components/core/cluster";
import { deploy } from "../../../harness/deploy";
import { settings } from "./fixture";

const CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/test";
const GRANT = { Sid: "Read", Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::models/*"] };

describe("workload identity", () => {
  it("gives a service account of this cluster a role by an association, which it waits for, and no annotation", async () => {
    let made: ReturnType<IdentityBinder> | undefined;
    const deployment = await deploy(() => {
      const bind = workloadIdentity(
        (of) => `cluster-${of}`,
        {
          settings: settings(),
          controlPlane: { clusterArn: pulumi.output(CLUSTER), clusterName: pulumi.output("test") },
        },
        {},
      );
      made = bind({
        name: "store",
        namespace: "inference",
        serviceAccount: "model-store",
        grants: [pulumi.output(JSON.stringify(GRANT))],
      });
    });
    const description = "Service account inference/model-store of the EKS cluster test";
    expect(deployment.resource("aws:iam/role:Role", "cluster-store-pods-role").inputs).toEqual({
      description,
      assumeRolePolicy: podTrust({ clusterArn: CLUSTER, namespace: "inference", serviceAccount: "model-store" }),
    });
    expect(deployment.resource("aws:iam/policy:Policy", "cluster-store-pods-grants-policy").inputs).toEqual({
      description,
      policy: JSON.stringify({ Version: "2012-10-17", Statement: [GRANT] }),
    });
    expect(
      deployment.resource("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "cluster-store-pods-grants").inputs,
    ).toEqual({
      role: "offline-cluster-store-pods-role",
      policyArn: "arn:aws:iam::111122223333:policy/offline-cluster-store-pods-grants-policy",
    });
    expect(
      deployment.resource("aws:eks/podIdentityAssociation:PodIdentityAssociation", "cluster-store-association").inputs,
    ).toEqual({
      clusterName: "test",
      namespace: "inference",
      serviceAccount: "model-store",
      roleArn: "arn:aws:iam::111122223333:role/offline-cluster-store-pods-role",
    });
    expect(made?.annotations).toEqual({});
    expect(made?.ready.length).toBe(3);
  });
});
