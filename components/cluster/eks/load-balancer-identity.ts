import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksControlPlane } from "./control-plane";
import type { EksSettings } from "./settings";

export interface LoadBalancerIdentityArgs {
  readonly settings: EksSettings;
  readonly controlPlane: EksControlPlane;
}

/** What the AWS Load Balancer Controller may do: network load balancers of this cluster, and nothing else. */
export class LoadBalancerIdentity extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, _args: LoadBalancerIdentityArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:LoadBalancerIdentity", name, opts);
    this.ready = [];
    this.registerOutputs({});
  }
}
