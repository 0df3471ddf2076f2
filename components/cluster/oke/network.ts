import * as core from "@pulumi/oci/core";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { type OkeSettings, SUBNETS, type SubnetName } from "./settings";

/** NSGs of what is made by Pulumi; load balancers are made by a controller in the cluster, and found by their subnet. */
export type NsgName = "endpoint" | "nodes" | "pods";

export interface OkeNetworkArgs {
  readonly settings: Pick<OkeSettings, "compartmentId" | "endpoint" | "network">;
}

/** A VCN of the cluster's own. */
export class OkeNetwork extends PlatformComponent {
  readonly vcnId: pulumi.Output<string>;
  readonly subnetIds: Readonly<Record<SubnetName, pulumi.Output<string>>>;
  /** Network security groups. */
  readonly nsgIds: Readonly<Record<NsgName, pulumi.Output<string>>>;

  constructor(name: string, { settings }: OkeNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeNetwork", name, opts);
    const { compartmentId, network } = settings;
    const vcn = new core.Vcn(this.child("vcn"), { compartmentId, cidrBlocks: [network.vcn] }, this.childOptions());
    this.vcnId = vcn.id;
    const ofVcn = { compartmentId, vcnId: vcn.id };
    const subnet = (subnetName: SubnetName) =>
      new core.Subnet(
        this.child(subnetName.toLowerCase()),
        { ...ofVcn, cidrBlock: network.subnets[subnetName] },
        this.childOptions(),
      ).id;
    this.subnetIds = Object.fromEntries(SUBNETS.map((each) => [each, subnet(each)])) as typeof this.subnetIds;
    const group = (of: NsgName) =>
      new core.NetworkSecurityGroup(this.child(`nsg-${of}`), ofVcn, this.childOptions()).id;
    this.nsgIds = { endpoint: group("endpoint"), nodes: group("nodes"), pods: group("pods") };
    this.registerOutputs({});
  }
}
