import type * as pulumi from "@pulumi/pulumi";
import type { AwsGround } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";

export interface AwsLoadBalancerControllerArgs {
  readonly ground: AwsGround;
}

/** The AWS Load Balancer Controller: it makes the gateway's load balancer, and takes it away when the gateway goes. */
export class AwsLoadBalancerController extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, _args: AwsLoadBalancerControllerArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:AwsLoadBalancerController", name, opts);
    this.ready = [];
    this.registerOutputs({});
  }
}
