import type { NetworkSecurityGroupSecurityRuleArgs } from "@pulumi/oci/core/networkSecurityGroupSecurityRule";
import type { SecurityListArgs } from "@pulumi/oci/core/securityList";
import type * as pulumi from "@pulumi/pulumi";
import type { NsgName, Traffic } from "./connections";
import type { Peer, SecurityRule } from "./security-rules";

/** Oracle's services in a region, from the service gateway. */
export interface OracleServices {
  readonly id: pulumi.Output<string>;
  /** Their label in rules and routes. */
  readonly cidrBlock: pulumi.Output<string>;
}

/** IANA protocol numbers as strings, as the API requires. */
const PROTOCOLS = { all: "all", tcp: "6", "path-mtu": "1" } as const;
const TOO_LARGE = { type: 3, code: 4 } as const;

/** Arguments of a rule resource, without the rule's own group. */
export function ruleInputs(
  { direction, peer, traffic, reason }: SecurityRule,
  groupIds: Readonly<Record<NsgName, pulumi.Output<string>>>,
  services: OracleServices,
): Omit<NetworkSecurityGroupSecurityRuleArgs, "networkSecurityGroupId"> {
  const { address, type } = addressOf(peer, groupIds, services);
  return {
    direction,
    description: reason,
    stateless: false,
    protocol: PROTOCOLS[traffic.protocol],
    ...(direction === "INGRESS"
      ? { source: address, sourceType: type }
      : { destination: address, destinationType: type }),
    ...(traffic.protocol === "tcp" && traffic.ports && { tcpOptions: { destinationPortRange: traffic.ports } }),
    ...(traffic.protocol === "path-mtu" && { icmpOptions: TOO_LARGE }),
  };
}

function addressOf(
  peer: Peer,
  groupIds: Readonly<Record<NsgName, pulumi.Output<string>>>,
  services: OracleServices,
): { address: pulumi.Input<string>; type: string } {
  switch (peer.kind) {
    case "group":
      return { address: groupIds[peer.group], type: "NETWORK_SECURITY_GROUP" };
    case "cidr":
      return { address: peer.cidr, type: "CIDR_BLOCK" };
    case "oracle-services":
      return { address: services.cidrBlock, type: "SERVICE_CIDR_BLOCK" };
  }
}

/**
 * Rules of a security list.
 *
 * @throws Error for rules with groups: lists support only networks.
 */
export function listInputs(
  rules: readonly SecurityRule[],
): Pick<SecurityListArgs, "ingressSecurityRules" | "egressSecurityRules"> {
  const of = (direction: SecurityRule["direction"]) =>
    rules
      .filter((rule) => rule.direction === direction)
      .map(({ name, peer, traffic, reason }) => {
        if (peer.kind !== "cidr") {
          throw new Error(`rule "${name}" of a security list needs a network in CIDR form, not ${peer.kind}`);
        }
        return { cidr: peer.cidr, rest: { description: reason, stateless: false, ...listTraffic(traffic) } };
      });
  return {
    ingressSecurityRules: of("INGRESS").map(({ cidr, rest }) => ({ source: cidr, sourceType: "CIDR_BLOCK", ...rest })),
    egressSecurityRules: of("EGRESS").map(({ cidr, rest }) => ({
      destination: cidr,
      destinationType: "CIDR_BLOCK",
      ...rest,
    })),
  };
}

function listTraffic(traffic: Traffic) {
  return {
    protocol: PROTOCOLS[traffic.protocol],
    ...(traffic.protocol === "tcp" && traffic.ports && { tcpOptions: traffic.ports }),
    ...(traffic.protocol === "path-mtu" && { icmpOptions: TOO_LARGE }),
  };
}
