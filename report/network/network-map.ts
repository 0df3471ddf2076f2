import type { RecordedResource } from "../../offline/run";

/** A network as the resources that were recorded make it: nothing here is known from elsewhere. */
export interface NetworkMap {
  readonly name: string;
  readonly cidr: string;
  readonly subnets: readonly MappedSubnet[];
  readonly connections: readonly MappedConnection[];
}

export interface MappedSubnet {
  readonly name: string;
  readonly cidr: string;
  /** Whether what is in it may have a public address. */
  readonly isPublic: boolean;
  /** Where its routes lead besides the network itself. */
  readonly waysOut: readonly string[];
}

export interface MappedConnection {
  /** A subnet by its name, a network in CIDR form, or Oracle's services. */
  readonly from: string;
  readonly to: string;
  /** `TCP 6443`, `everything`, `ICMP path MTU`. */
  readonly on: string;
  readonly reason: string;
  /** The end that lacks its rule, where both ends have rules: nothing gets through. */
  readonly closedAt?: string;
}

const TYPE = {
  vcn: "oci:Core/vcn:Vcn",
  subnet: "oci:Core/subnet:Subnet",
  group: "oci:Core/networkSecurityGroup:NetworkSecurityGroup",
  rule: "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule",
  list: "oci:Core/securityList:SecurityList",
  defaultList: "oci:Core/defaultSecurityList:DefaultSecurityList",
  routes: "oci:Core/routeTable:RouteTable",
} as const;

export const ORACLE_SERVICES = "Oracle's services";
export const ANYWHERE = "0.0.0.0/0";

/** What gateways lead to. */
const WAYS: Readonly<Record<string, string>> = {
  "oci:Core/natGateway:NatGateway": "internet (NAT gateway)",
  "oci:Core/internetGateway:InternetGateway": "internet (internet gateway)",
  "oci:Core/serviceGateway:ServiceGateway": `${ORACLE_SERVICES} (service gateway)`,
};

/** One rule at one end. */
interface End {
  readonly owner: string;
  readonly direction: "INGRESS" | "EGRESS";
  readonly other: string;
  readonly on: string;
  readonly reason: string;
}

/** Whether the program makes a network of a cloud that no map is drawn of. */
export function hasUnmappedNetwork(resources: readonly RecordedResource[]): boolean {
  return resources.some(({ type }) => type === "aws:ec2/vpc:Vpc");
}

/** Undefined where the program makes no network, or one that no map is drawn of. */
export function networkMap(resources: readonly RecordedResource[]): NetworkMap | undefined {
  const vcn = resources.find(({ type }) => type === TYPE.vcn);
  if (vcn === undefined) {
    return undefined;
  }
  const names = new Names(resources, text(vcn.inputs.displayName).replace(/vcn$/, ""));
  const ends = [...groupEnds(resources, names), ...listEnds(resources, names)];
  return {
    name: text(vcn.inputs.displayName),
    cidr: list(vcn.inputs.cidrBlocks).map(text).join(", "),
    subnets: resources.filter(({ type }) => type === TYPE.subnet).map((subnet) => mapSubnet(subnet, resources, names)),
    connections: join(ends, new Set(ends.map(({ owner }) => owner))),
  };
}

/** Names of subnets, and of their groups: `inference-oci-a10-nsg-nodes` is `nodes`. */
class Names {
  private readonly byId = new Map<string, string>();
  private readonly byCidr = new Map<string, string>();

  constructor(
    resources: readonly RecordedResource[],
    private readonly prefix: string,
  ) {
    for (const { type, name, inputs } of resources) {
      if (type === TYPE.subnet || type === TYPE.group) {
        this.byId.set(`${name}-id`, this.short(text(inputs.displayName)));
      }
      if (type === TYPE.subnet) {
        this.byCidr.set(text(inputs.cidrBlock), this.short(text(inputs.displayName)));
      }
    }
  }

  short(displayName: string): string {
    return displayName.slice(displayName.startsWith(this.prefix) ? this.prefix.length : 0).replace(/^nsg-/, "");
  }

  of(address: string, kind: string): string {
    if (kind === "SERVICE_CIDR_BLOCK") {
      return ORACLE_SERVICES;
    }
    return this.byId.get(address) ?? this.byCidr.get(address) ?? address;
  }
}

function mapSubnet({ inputs }: RecordedResource, resources: readonly RecordedResource[], names: Names): MappedSubnet {
  const table = resources.find(({ type, name }) => type === TYPE.routes && `${name}-id` === inputs.routeTableId);
  const waysOut = list(table?.inputs.routeRules).map((rule) => {
    const target = text(fields(rule).networkEntityId);
    const gateway = resources.find(({ type, name }) => type in WAYS && `${name}-id` === target);
    return (gateway && WAYS[gateway.type]) ?? target;
  });
  return {
    name: names.short(text(inputs.displayName)),
    cidr: text(inputs.cidrBlock),
    isPublic: inputs.prohibitPublicIpOnVnic !== true,
    waysOut,
  };
}

function groupEnds(resources: readonly RecordedResource[], names: Names): End[] {
  return resources
    .filter(({ type }) => type === TYPE.rule)
    .map(({ inputs }) => {
      const incoming = inputs.direction === "INGRESS";
      const range = fields(fields(inputs.tcpOptions).destinationPortRange);
      return {
        owner: names.of(text(inputs.networkSecurityGroupId), ""),
        direction: incoming ? "INGRESS" : "EGRESS",
        other: names.of(
          text(incoming ? inputs.source : inputs.destination),
          text(incoming ? inputs.sourceType : inputs.destinationType),
        ),
        on: traffic(text(inputs.protocol), range),
        reason: text(inputs.description),
      };
    });
}

function listEnds(resources: readonly RecordedResource[], names: Names): End[] {
  return resources
    .filter(({ type }) => type === TYPE.list || type === TYPE.defaultList)
    .flatMap(({ name, inputs }) => {
      const owners = resources
        .filter((each) => each.type === TYPE.subnet && list(each.inputs.securityListIds).includes(`${name}-id`))
        .map((subnet) => names.short(text(subnet.inputs.displayName)));
      const ends = (direction: End["direction"], rules: unknown, address: "source" | "destination") =>
        list(rules).flatMap((rule) => {
          const said = fields(rule);
          return owners.map(
            (owner): End => ({
              owner,
              direction,
              other: names.of(text(said[address]), text(said[`${address}Type`])),
              on: traffic(text(said.protocol), fields(said.tcpOptions)),
              reason: text(said.description),
            }),
          );
        });
      return [
        ...ends("INGRESS", inputs.ingressSecurityRules, "source"),
        ...ends("EGRESS", inputs.egressSecurityRules, "destination"),
      ];
    });
}

function traffic(protocol: string, range: Readonly<Record<string, unknown>>): string {
  const { min, max } = range;
  switch (protocol) {
    case "all":
      return "everything";
    case "1":
      return "ICMP path MTU";
    case "6":
      return min === undefined ? "TCP" : `TCP ${[...new Set([min, max])].join("–")}`;
    default:
      return `protocol ${protocol}`;
  }
}

/** Rules of both ends as one connection, in the order in which they were made. */
function join(ends: readonly End[], owners: ReadonlySet<string>): MappedConnection[] {
  const found = new Map<string, { connection: MappedConnection; opened: Set<string> }>();
  for (const { owner, direction, other, on, reason } of ends) {
    const [from, to] = direction === "INGRESS" ? [other, owner] : [owner, other];
    const key = [from, to, on].join("|");
    const entry = found.get(key) ?? { connection: { from, to, on, reason }, opened: new Set<string>() };
    entry.opened.add(direction);
    found.set(key, entry);
  }
  return [...found.values()].map(({ connection, opened }) => {
    const { from, to } = connection;
    const missing =
      owners.has(from) && !opened.has("EGRESS") ? from : owners.has(to) && !opened.has("INGRESS") ? to : undefined;
    return missing === undefined ? connection : { ...connection, closedAt: missing };
  });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : String(value ?? "");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" ? (value as Readonly<Record<string, unknown>>) : {};
}
