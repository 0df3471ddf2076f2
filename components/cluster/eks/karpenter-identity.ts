import { AccessEntry } from "@pulumi/aws/eks/accessEntry";
import * as pulumi from "@pulumi/pulumi";
import { AWS_ACCOUNTS } from "../../../names/aws";
import type { KarpenterGround } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { placeOf } from "./arn";
import type { EksControlPlane } from "./control-plane";
import { iamDocument, serviceTrust } from "./iam-document";
import { IamRole } from "./iam-role";
import { KarpenterQueue } from "./karpenter-queue";
import { ec2Service, KARPENTER_POLICIES, type KarpenterPolicy, karpenterStatements } from "./karpenter-statements";
import type { EksKeys } from "./keys";
import { NODE_POLICIES } from "./node-role";
import { PodIdentity } from "./pod-identity";
import type { EksPool, EksSettings } from "./settings";
import { DISCOVERY_TAG, environmentTags } from "./tags";

export interface KarpenterIdentityArgs {
  readonly settings: EksSettings;
  readonly controlPlane: Pick<EksControlPlane, "clusterArn" | "clusterName">;
  readonly keys: Pick<EksKeys, "volumesKeyArn">;
  readonly pools: readonly Pick<EksPool, "capacity">[];
}

/**
 * Karpenter's permissions, node role and interruption queue.
 *
 * Its nodes have a dedicated role: EKS deletes the access entry of a role with its last managed
 * group (EKS User Guide, "access entries", read 2026-11-23).
 */
export class KarpenterIdentity extends PlatformComponent {
  readonly ground: KarpenterGround;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: KarpenterIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:KarpenterIdentity", name, opts);
    const { settings, controlPlane, keys, pools } = args;
    const { environment, region } = settings;
    const nodes = new IamRole(
      this.child("nodes"),
      {
        settings,
        description: `Nodes that Karpenter makes for the EKS cluster ${environment}`,
        trust: serviceTrust(ec2Service(region)),
        managedPolicies: NODE_POLICIES,
      },
      this.childOptions(),
    );
    const entry = new AccessEntry(
      this.child("nodes-entry"),
      { clusterName: controlPlane.clusterName, principalArn: nodes.arn, type: "EC2_LINUX" },
      this.childOptions(),
    );
    const queue = new KarpenterQueue(this.child("queue"), { clusterName: environment }, this.childOptions());
    const statements = pulumi
      .all([controlPlane.clusterArn, nodes.arn, queue.arn, keys.volumesKeyArn])
      .apply(([clusterArn, nodeRoleArn, queueArn, volumesKeyArn]) =>
        karpenterStatements({
          place: placeOf(clusterArn),
          clusterName: environment,
          clusterArn,
          nodeRoleArn,
          queueArn,
          volumesKeyArn,
          spot: pools.some(({ capacity }) => capacity === "spot"),
        }),
      );
    const document = (policy: KarpenterPolicy) => statements.apply((all) => iamDocument(all[policy]));
    const identity = new PodIdentity(
      this.child("controller"),
      {
        settings,
        controlPlane,
        ...AWS_ACCOUNTS.karpenter,
        description: `Karpenter of the EKS cluster ${environment}`,
        documents: Object.fromEntries(KARPENTER_POLICIES.map((policy) => [policy, document(policy)])),
      },
      this.childOptions(),
    );
    this.ground = {
      queueName: queue.queueName,
      nodeRoleName: nodes.roleName,
      discovery: { key: DISCOVERY_TAG, value: environment },
      volumesKeyArn: keys.volumesKeyArn,
      nodeImage: settings.nodeImage,
      tags: environmentTags(settings),
    };
    this.ready = [...nodes.ready, entry, ...queue.ready, ...identity.ready];
    this.registerOutputs({});
  }
}
