import * as pulumi from "@pulumi/pulumi";
import { AWS_ACCOUNTS } from "../../../names/aws";
import { PlatformComponent } from "../../core/platform-component";
import { placeOf } from "./arn";
import type { EksControlPlane } from "./control-plane";
import { iamDocument } from "./iam-document";
import { loadBalancerStatements } from "./load-balancer-statements";
import type { EksNetwork } from "./network";
import { PodIdentity } from "./pod-identity";
import type { EksSettings } from "./settings";

export interface LoadBalancerIdentityArgs {
  readonly settings: Pick<EksSettings, "environment" | "region">;
  readonly controlPlane: Pick<EksControlPlane, "clusterArn" | "clusterName">;
  readonly network: Pick<EksNetwork, "vpcId">;
}

/** Permissions for network load balancers of this cluster only. */
export class LoadBalancerIdentity extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: LoadBalancerIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:LoadBalancerIdentity", name, opts);
    const { settings, controlPlane, network } = args;
    const clusterName = settings.environment;
    const identity = new PodIdentity(
      this.child("controller"),
      {
        settings,
        controlPlane,
        ...AWS_ACCOUNTS.loadBalancers,
        description: `AWS Load Balancer Controller of the EKS cluster ${clusterName}`,
        documents: {
          balancers: pulumi
            .all([controlPlane.clusterArn, network.vpcId])
            .apply(([arn, vpcId]) => iamDocument(loadBalancerStatements({ place: placeOf(arn), clusterName, vpcId }))),
        },
      },
      this.childOptions(),
    );
    this.ready = identity.ready;
    this.registerOutputs({});
  }
}
