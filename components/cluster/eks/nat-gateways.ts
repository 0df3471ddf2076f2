import { Eip } from "@pulumi/aws/ec2/eip";
import { NatGateway } from "@pulumi/aws/ec2/natGateway";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings } from "./settings";

export interface EksNatGatewaysArgs {
  readonly settings: Pick<EksSettings, "environment" | "zones" | "network">;
  /** Public subnets, by zone. */
  readonly subnetIds: Readonly<Record<string, pulumi.Input<string>>>;
  /** Internet routes of those subnets, created first. */
  readonly after: readonly pulumi.Resource[];
}

/**
 * NAT gateways: one per zone, or one shared in the first zone. Their addresses never change, so
 * that third parties can allow them.
 */
export class EksNatGateways extends PlatformComponent {
  private readonly ids: readonly pulumi.Output<string>[];
  private readonly zones: readonly string[];

  constructor(
    name: string,
    { settings, subnetIds, after }: EksNatGatewaysArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("cluster:EksNatGateways", name, opts);
    const { environment, network } = settings;
    this.zones = network.natGateways === "single" ? settings.zones.slice(0, 1) : settings.zones;
    this.ids = this.zones.map((zone) => {
      const tags = { Name: `${environment}-nat-${zone}` };
      const options = this.childOptions({ dependsOn: [...after] });
      const address = new Eip(this.child(`address-${zone}`), { domain: "vpc", tags }, options);
      return new NatGateway(
        this.child(zone),
        { connectivityType: "public", allocationId: address.allocationId, subnetId: subnetIds[zone], tags },
        options,
      ).id;
    });
    this.registerOutputs({});
  }

  /** The zone's gateway or the shared one. */
  gatewayIdFor(zone: string): pulumi.Output<string> {
    const id = this.ids[Math.max(0, this.zones.indexOf(zone))];
    if (id === undefined) {
      throw new Error("a network without zones: validation should have refused it");
    }
    return id;
  }
}
