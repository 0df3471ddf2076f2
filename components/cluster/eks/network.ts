import { DefaultSecurityGroup } from "@pulumi/aws/ec2/defaultSecurityGroup";
import { InternetGateway } from "@pulumi/aws/ec2/internetGateway";
import { Route } from "@pulumi/aws/ec2/route";
import { RouteTable } from "@pulumi/aws/ec2/routeTable";
import { RouteTableAssociation } from "@pulumi/aws/ec2/routeTableAssociation";
import { Subnet } from "@pulumi/aws/ec2/subnet";
import { Vpc } from "@pulumi/aws/ec2/vpc";
import type * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { EksEndpoints } from "./endpoints";
import { EksNatGateways } from "./nat-gateways";
import { EKS_SUBNETS, type EksSettings, type EksSubnet } from "./settings";
import { DISCOVERY_TAG } from "./tags";

export interface EksNetworkArgs {
  readonly settings: Pick<EksSettings, "environment" | "region" | "zones" | "network">;
}

const EVERYWHERE = "0.0.0.0/0";

/**
 * A dedicated VPC. Each zone has a subnet for nodes and pods, one for control plane interfaces, and
 * a public one for NAT gateways and load balancers. Machines get no public addresses.
 *
 * Private endpoints need DNS (EKS User Guide, "View Amazon EKS networking requirements for VPC and
 * subnets", read 2026-11-23). The default network ACL allows all traffic: security groups decide.
 */
export class EksNetwork extends PlatformComponent {
  readonly vpcId: pulumi.Output<string>;
  /** By kind and zone. */
  readonly subnetIds: Readonly<Record<EksSubnet, Readonly<Record<string, pulumi.Output<string>>>>>;
  /** Prerequisites of nodes: egress and endpoints. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, { settings }: EksNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksNetwork", name, opts);
    const { environment, zones, network } = settings;
    const tagged = (suffix: string) => ({ tags: { Name: `${environment}-${suffix}` } });
    const vpc = new Vpc(
      this.child("vpc"),
      { cidrBlock: network.vpc, enableDnsSupport: true, enableDnsHostnames: true, tags: { Name: environment } },
      this.childOptions(),
    );
    this.vpcId = vpc.id;
    const inVpc = (suffix: string) => ({ vpcId: vpc.id, ...tagged(suffix) });

    // A VPC's default group allows traffic between its members and applies where none is named. It
    // gets no rules.
    new DefaultSecurityGroup(
      this.child("default-group"),
      { vpcId: vpc.id, ingress: [], egress: [], ...tagged("default-empty") },
      this.childOptions(),
    );
    const internet = new InternetGateway(this.child("internet"), inVpc("internet"), this.childOptions());

    const subnet = (kind: EksSubnet, zone: string) =>
      new Subnet(
        this.child(`${kebab(kind)}-${zone}`),
        {
          vpcId: vpc.id,
          availabilityZone: zone,
          cidrBlock: network.subnets[kind][zone],
          mapPublicIpOnLaunch: false,
          tags: { Name: `${environment}-${kebab(kind)}-${zone}`, ...subnetTags(kind, environment) },
        },
        this.childOptions(),
      ).id;
    const ofZones = (kind: EksSubnet) => Object.fromEntries(zones.map((zone) => [zone, subnet(kind, zone)]));
    this.subnetIds = Object.fromEntries(EKS_SUBNETS.map((kind) => [kind, ofZones(kind)])) as typeof this.subnetIds;

    const table = (suffix: string) =>
      new RouteTable(this.child(suffix), inVpc(suffix), this.childOptions({ dependsOn: [internet] }));
    const join = (kind: EksSubnet, zone: string, routes: RouteTable) =>
      new RouteTableAssociation(
        this.child(`${kebab(kind)}-${zone}-routes`),
        { subnetId: this.subnetId(kind, zone), routeTableId: routes.id },
        this.childOptions(),
      );

    const publicRoutes = table("public-routes");
    const toInternet = new Route(
      this.child("public-out"),
      { routeTableId: publicRoutes.id, destinationCidrBlock: EVERYWHERE, gatewayId: internet.id },
      this.childOptions(),
    );
    const publicJoins = zones.map((zone) => join("public", zone, publicRoutes));
    const nat = new EksNatGateways(
      this.child("nat"),
      { settings, subnetIds: this.subnetIds.public, after: [internet, toInternet, ...publicJoins] },
      this.childOptions(),
    );

    // Amazon reaches control plane interfaces from its own network, without egress.
    const inner = table("control-plane-routes");
    for (const zone of zones) {
      join("controlPlane", zone, inner);
    }

    // A table per zone even with one NAT gateway: adding one later changes a route, not a table.
    const ways = zones.map((zone) => {
      const routes = table(`routes-${zone}`);
      const out = new Route(
        this.child(`out-${zone}`),
        { routeTableId: routes.id, destinationCidrBlock: EVERYWHERE, natGatewayId: nat.gatewayIdFor(zone) },
        this.childOptions(),
      );
      return { tableId: routes.id, made: [out, join("nodes", zone, routes)] };
    });
    const endpoints = new EksEndpoints(
      this.child("endpoints"),
      {
        settings,
        vpcId: vpc.id,
        subnetIds: zones.map((zone) => this.subnetId("nodes", zone)),
        routeTableIds: ways.map(({ tableId }) => tableId),
      },
      this.childOptions(),
    );
    this.ready = [...ways.flatMap(({ made }) => made), ...endpoints.ready];
    this.registerOutputs({});
  }

  /** @throws Error for a zone outside the network. */
  private subnetId(kind: EksSubnet, zone: string): pulumi.Output<string> {
    const id = this.subnetIds[kind][zone];
    if (id === undefined) {
      throw new Error(`the network has no subnet of ${kind} in ${zone}: validation should have refused it`);
    }
    return id;
  }
}

/**
 * Subnet tags for load balancers (EKS User Guide, "Route TCP and UDP traffic with Network Load
 * Balancers", read 2026-11-23) and Karpenter's nodes.
 */
function subnetTags(kind: EksSubnet, environment: string): Readonly<Record<string, string>> {
  switch (kind) {
    case "nodes":
      return { "kubernetes.io/role/internal-elb": "1", [DISCOVERY_TAG]: environment };
    case "public":
      return { "kubernetes.io/role/elb": "1" };
    case "controlPlane":
      return {};
  }
}

function kebab(kind: EksSubnet): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
