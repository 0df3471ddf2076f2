import { DefaultSecurityList } from "@pulumi/oci/core/defaultSecurityList";
import { getServicesOutput } from "@pulumi/oci/core/getServices";
import { InternetGateway } from "@pulumi/oci/core/internetGateway";
import { NatGateway } from "@pulumi/oci/core/natGateway";
import { NetworkSecurityGroup } from "@pulumi/oci/core/networkSecurityGroup";
import { NetworkSecurityGroupSecurityRule } from "@pulumi/oci/core/networkSecurityGroupSecurityRule";
import { RouteTable } from "@pulumi/oci/core/routeTable";
import { SecurityList } from "@pulumi/oci/core/securityList";
import { ServiceGateway } from "@pulumi/oci/core/serviceGateway";
import { Subnet } from "@pulumi/oci/core/subnet";
import { Vcn } from "@pulumi/oci/core/vcn";
import * as pulumi from "@pulumi/pulumi";
import { PlatformComponent } from "../../core/platform-component";
import { NSG_NAMES, type NsgName, okeConnections } from "./connections";
import { listInputs, type OracleServices, ruleInputs } from "./security-rule-inputs";
import { groupRules, loadBalancerRules } from "./security-rules";
import { type OkeSettings, SUBNETS, type SubnetName } from "./settings";
import { environmentTags } from "./tags";

export type { NsgName } from "./connections";

export interface OkeNetworkArgs {
  readonly settings: Pick<
    OkeSettings,
    "environment" | "compartmentId" | "endpoint" | "loadBalancers" | "registryPorts" | "network"
  >;
}

/** DNS labels of subnets: at most 15 letters and digits. */
const DNS_LABELS: Readonly<Record<SubnetName, string>> = {
  endpoint: "endpoint",
  nodes: "nodes",
  pods: "pods",
  loadBalancers: "loadbalancers",
};

const EVERYWHERE = { destination: "0.0.0.0/0", destinationType: "CIDR_BLOCK" };

/**
 * A dedicated VCN: four regional subnets, egress and allowed connections. Nodes and pods have no
 * public address. Controllers find the load balancer subnet, which has a security list; others have
 * security groups and an empty list.
 */
export class OkeNetwork extends PlatformComponent {
  readonly vcnId: pulumi.Output<string>;
  readonly subnetIds: Readonly<Record<SubnetName, pulumi.Output<string>>>;
  /** Network security groups. Users wait for their rules: without them a node never joins. */
  readonly nsgIds: Readonly<Record<NsgName, pulumi.Output<string>>>;

  constructor(name: string, { settings }: OkeNetworkArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeNetwork", name, opts);
    const { environment, compartmentId, network, endpoint, loadBalancers } = settings;
    const connections = okeConnections(settings);
    const freeformTags = environmentTags(settings);
    const displayName = (suffix: string) => `inference-${environment}-${suffix}`;

    const vcn = new Vcn(
      this.child("vcn"),
      {
        compartmentId,
        cidrBlocks: [network.vcn],
        displayName: displayName("vcn"),
        dnsLabel: dnsLabel(environment),
        freeformTags,
      },
      this.childOptions(),
    );
    this.vcnId = vcn.id;
    const named: Named = (suffix) => ({
      compartmentId,
      vcnId: vcn.id,
      displayName: displayName(suffix),
      freeformTags,
    });

    const oracle = oracleServices(this.childOptions());
    const privateRoutes = this.privateRoutes(named, oracle);
    const isPublic = (subnet: SubnetName) =>
      (subnet === "endpoint" && endpoint.public) || (subnet === "loadBalancers" && loadBalancers.public);
    const publicRoutes = SUBNETS.some(isPublic) ? this.publicRoutes(named) : privateRoutes;

    // The default list allows SSH from anywhere and applies to subnets without a list. It is
    // emptied, because the provider ignores an empty list of lists (terraform-provider-oci 8de3c48,
    // core_subnet_resource.go Create).
    const emptyList = new DefaultSecurityList(
      this.child("default-list"),
      {
        compartmentId,
        manageDefaultResourceId: vcn.defaultSecurityListId,
        displayName: displayName("empty-list"),
        freeformTags,
        ingressSecurityRules: [],
        egressSecurityRules: [],
      },
      this.childOptions(),
    );
    const loadBalancerList = new SecurityList(
      this.child("load-balancers-list"),
      { ...named("load-balancers-list"), ...listInputs(loadBalancerRules(connections, settings)) },
      this.childOptions(),
    );
    const subnet = (of: SubnetName) =>
      new Subnet(
        this.child(kebab(of)),
        {
          ...named(kebab(of)),
          cidrBlock: network.subnets[of],
          dnsLabel: DNS_LABELS[of],
          prohibitPublicIpOnVnic: !isPublic(of),
          routeTableId: (isPublic(of) ? publicRoutes : privateRoutes).id,
          securityListIds: [of === "loadBalancers" ? loadBalancerList.id : emptyList.id],
        },
        this.childOptions(),
      ).id;
    this.subnetIds = Object.fromEntries(SUBNETS.map((each) => [each, subnet(each)])) as typeof this.subnetIds;

    const groupIds = Object.fromEntries(
      NSG_NAMES.map((of) => [
        of,
        new NetworkSecurityGroup(this.child(`nsg-${of}`), named(`nsg-${of}`), this.childOptions()).id,
      ]),
    ) as Record<NsgName, pulumi.Output<string>>;
    const rules = groupRules(connections, settings);
    const ready = (of: NsgName) => {
      const made = rules[of].map(
        (rule) =>
          new NetworkSecurityGroupSecurityRule(
            this.child(`${of}-${rule.name}`),
            { networkSecurityGroupId: groupIds[of], ...ruleInputs(rule, groupIds, oracle) },
            this.childOptions(),
          ).id,
      );
      return pulumi.all([groupIds[of], ...made]).apply(([id]) => id as string);
    };
    this.nsgIds = Object.fromEntries(NSG_NAMES.map((of) => [of, ready(of)])) as typeof this.nsgIds;
    this.registerOutputs({});
  }

  /** Internet through NAT, Oracle's services through the service gateway. */
  private privateRoutes(named: Named, { id, cidrBlock }: OracleServices): RouteTable {
    const nat = new NatGateway(this.child("nat"), { ...named("nat"), blockTraffic: false }, this.childOptions());
    const services = new ServiceGateway(
      this.child("services"),
      { ...named("services"), services: [{ serviceId: id }] },
      this.childOptions(),
    );
    return new RouteTable(
      this.child("private-routes"),
      {
        ...named("private-routes"),
        routeRules: [
          { ...EVERYWHERE, networkEntityId: nat.id, description: "To the internet, from the NAT gateway's address" },
          {
            destination: cidrBlock,
            destinationType: "SERVICE_CIDR_BLOCK",
            networkEntityId: services.id,
            description: "To Oracle's services, not over the internet",
          },
        ],
      },
      this.childOptions(),
    );
  }

  /**
   * No service gateway route with an internet route: answers would take another path (Oracle's
   * known issue).
   */
  private publicRoutes(named: Named): RouteTable {
    const internet = new InternetGateway(
      this.child("internet"),
      { ...named("internet"), enabled: true },
      this.childOptions(),
    );
    return new RouteTable(
      this.child("public-routes"),
      {
        ...named("public-routes"),
        routeRules: [
          { ...EVERYWHERE, networkEntityId: internet.id, description: "From and to the internet, by public addresses" },
        ],
      },
      this.childOptions(),
    );
  }
}

/** Common arguments of network resources, by name suffix. */
type Named = (suffix: string) => {
  readonly compartmentId: string;
  readonly vcnId: pulumi.Output<string>;
  readonly displayName: string;
  readonly freeformTags: Record<string, string>;
};

/** At most 15 letters and digits, unique per environment of a tenancy. */
function dnsLabel(environment: string): string {
  return `vcn${environment.toLowerCase().replaceAll(/[^a-z0-9]/g, "")}`.slice(0, 15);
}

/** The region's "All … Services In Oracle Services Network": names may change, labels do not. */
function oracleServices(opts: pulumi.InvokeOutputOptions): OracleServices {
  const found = getServicesOutput({}, opts).apply(({ services }) => {
    const all = services.find(({ cidrBlock }) =>
      /^all-[a-z0-9-]+-services-in-oracle-services-network$/.test(cidrBlock),
    );
    if (all === undefined) {
      const labels = services.map(({ cidrBlock }) => cidrBlock).join(", ");
      throw new Error(`the region offers no service gateway for all of Oracle's services; it offers: ${labels}`);
    }
    return all;
  });
  return { id: found.id, cidrBlock: found.cidrBlock };
}

function kebab(name: SubnetName): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
