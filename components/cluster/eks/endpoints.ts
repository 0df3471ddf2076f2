import { SecurityGroup } from "@pulumi/aws/ec2/securityGroup";
import { VpcEndpoint } from "@pulumi/aws/ec2/vpcEndpoint";
import { SecurityGroupIngressRule } from "@pulumi/aws/vpc/securityGroupIngressRule";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import type { EksSettings } from "./settings";

export interface EksEndpointsArgs {
  readonly settings: Pick<EksSettings, "environment" | "region" | "network">;
  readonly vpcId: pulumi.Input<string>;
  /** One subnet per zone for interfaces. */
  readonly subnetIds: readonly pulumi.Input<string>[];
  /** Route tables that reach S3 without the internet. */
  readonly routeTableIds: readonly pulumi.Input<string>[];
}

/**
 * Private access to AWS services. S3 always, through free gateway routes; others through an
 * interface per zone, to which DNS resolves.
 *
 * No endpoint policies: pod roles define permissions, and images come from buckets of Amazon's
 * accounts. Interfaces allow 443 from the whole network and no egress.
 */
export class EksEndpoints extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: EksEndpointsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksEndpoints", name, opts);
    const { settings, vpcId, subnetIds, routeTableIds } = args;
    const { environment, region, network } = settings;
    const named = (service: string) => ({
      vpcId,
      serviceName: `com.amazonaws.${region}.${service}`,
      tags: { Name: `${environment}-${service}` },
    });
    const s3 = new VpcEndpoint(
      this.child("s3"),
      { ...named("s3"), vpcEndpointType: "Gateway", routeTableIds: [...routeTableIds] },
      this.childOptions(),
    );
    this.ready = [s3, ...this.interfaces(network, named, vpcId, subnetIds, environment)];
    this.registerOutputs({});
  }

  private interfaces(
    { endpoints, vpc }: EksSettings["network"],
    named: (service: string) => { vpcId: pulumi.Input<string>; serviceName: string; tags: Record<string, string> },
    vpcId: pulumi.Input<string>,
    subnetIds: readonly pulumi.Input<string>[],
    environment: string,
  ): pulumi.Resource[] {
    if (endpoints.length === 0) {
      return [];
    }
    const tags = { Name: `${environment}-endpoints` };
    const group = new SecurityGroup(
      this.child("group"),
      { vpcId, description: "Private addresses of Amazon's services", tags },
      this.childOptions(),
    );
    const rule = new SecurityGroupIngressRule(
      this.child("from-network"),
      {
        securityGroupId: group.id,
        description: "TLS from the whole network",
        cidrIpv4: vpc,
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
        tags,
      },
      this.childOptions(),
    );
    const made = endpoints.map(
      (service) =>
        new VpcEndpoint(
          this.child(service.replaceAll(".", "-")),
          {
            ...named(service),
            vpcEndpointType: "Interface",
            privateDnsEnabled: true,
            subnetIds: [...subnetIds],
            securityGroupIds: [group.id],
          },
          this.childOptions(),
        ),
    );
    return [rule, ...made];
  }
}
