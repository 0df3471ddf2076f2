import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings, EksSubnet } from "./settings";

export interface EksNetworkArgs {
  readonly settings: Pick<EksSettings, "environment" | "region" | "zones" | "network">;
}

/**
 * A VPC of the cluster's own: over every zone a subnet for nodes and pods, one for the control plane's interfaces, and a
 * public one for NAT gateways and load balancers.
 */
export class EksNetwork extends PlatformComponent {
  readonly vpcId: pulumi.Output<string>;
  /** By kind and zone. */
  readonly subnetIds: Readonly<Record<EksSubnet, Readonly<Record<string, pulumi.Output<string>>>>>;
  /** What nodes need before they join: ways out, and endpoints. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings }: EksNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksNetwork", name, opts);
    const unmade = pulumi.output("");
    const ofZones = Object.fromEntries(settings.zones.map((zone) => [zone, unmade]));
    this.vpcId = unmade;
    this.subnetIds = { nodes: ofZones, controlPlane: ofZones, public: ofZones };
    this.ready = [];
    this.registerOutputs({});
  }
}
