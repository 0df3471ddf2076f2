import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { isWorldOpen } from "../../names/world-open";
import { allowing, isBound, namesCallers, oneOrMore, principalsOf } from "./aws-documents";
import { hasCompanion, S3_BUCKETS } from "./buckets";
import { type Field, isObject } from "./field";
import type { Finding } from "./policy";
import { PUBLIC_ROWS } from "./public-rows";
import type { Resource } from "./resource";
import { broken, select } from "./rows";

export type Exposure = Omit<Finding, "resource">;
type Check = (resource: Resource, resources: readonly Resource[]) => Exposure[];

const PUBLIC_ACCESS_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock";
const NSG = "oci:Core/networkSecurityGroup:NetworkSecurityGroup";
const OKE = "oci:ContainerEngine/cluster:Cluster";

export function cloudExposures(resource: Resource, resources: readonly Resource[]): Exposure[] {
  return [...broken(PUBLIC_ROWS, resource), ...(CHECKS[resource.type]?.(resource, resources) ?? [])];
}

const bucket: Check = (resource, resources) => [
  ...publicAcl(resource),
  ...publicPolicy(resource),
  ...(hasCompanion(resource, PUBLIC_ACCESS_BLOCK, resources)
    ? []
    : [
        {
          field: resource.props.get("bucket"),
          found: "has no public access block",
          allowed: `a ${PUBLIC_ACCESS_BLOCK} for the bucket`,
        },
      ]),
];

const securityGroup: Check = ({ props }) =>
  props
    .get("ingress")
    .items()
    .flatMap((rule) => awsRule(rule, ["cidrBlocks", "ipv6CidrBlocks"]));

const securityList: Check = ({ props }) => props.get("ingressSecurityRules").items().flatMap(ociRule);

const CHECKS: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(S3_BUCKETS.map((type) => [type, bucket])),
  "aws:s3/bucketAcl:BucketAcl": publicAcl,
  "aws:s3/bucketAclV2:BucketAclV2": publicAcl,
  "aws:s3/bucketObject:BucketObject": publicAcl,
  "aws:s3/bucketObjectv2:BucketObjectv2": publicAcl,
  "aws:s3/bucketPolicy:BucketPolicy": publicPolicy,
  "aws:eks/cluster:Cluster": ({ props }) => {
    const vpc = props.get("vpcConfig");
    const cidrs = vpc.get("publicAccessCidrs");
    // AWS defaults: a public endpoint, open to 0.0.0.0/0.
    const isPublic = vpc.get("endpointPublicAccess").is((value) => value !== false);
    const isOpen = cidrs.is(
      (value) => !Array.isArray(value) || value.length === 0 || isWorldOpen(...value.map(String)),
    );
    return isPublic && isOpen
      ? [{ field: cidrs, allowed: "endpointPublicAccess: false, or the networks of the operators" }]
      : [];
  },
  "aws:eks/nodeGroup:NodeGroup": ({ props }) => {
    const access = props.get("remoteAccess");
    const groups = access.get("sourceSecurityGroupIds");
    return access.is(isObject) && groups.is((ids) => !Array.isArray(ids) || ids.length === 0)
      ? [{ field: access, found: "is open to the world by SSH", allowed: "nothing, or sourceSecurityGroupIds" }]
      : [];
  },
  [OKE]: (resource, resources) => {
    const isPublic = resource.props.get("endpointConfig", "isPublicIpEnabled");
    return isPublic.is((value) => value === true) && !isBehindGroups(resource, resources)
      ? [
          {
            field: isPublic,
            allowed:
              "false, or true behind security groups of this stack (endpointConfig.nsgIds), whose rules are judged",
          },
        ]
      : [];
  },
  "oci:Core/subnet:Subnet": (resource, resources) => {
    const address = resource.props.get("prohibitPublicIpOnVnic");
    const isPublic =
      address.is((value) => value !== true) &&
      resource.props.get("prohibitInternetIngress").is((value) => value !== true);
    return isPublic && !isForClients(resource, resources)
      ? [
          {
            field: address,
            allowed: "true; only the subnets of a cluster's load balancers and of its endpoint are public",
          },
        ]
      : [];
  },
  "aws:ec2/securityGroup:SecurityGroup": securityGroup,
  "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": securityGroup,
  "aws:ec2/securityGroupRule:SecurityGroupRule": ({ props }) =>
    props.get("type").is((value) => value === "ingress") ? awsRule(props, ["cidrBlocks", "ipv6CidrBlocks"]) : [],
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ({ props }) => awsRule(props, ["cidrIpv4", "cidrIpv6"]),
  "oci:Core/securityList:SecurityList": securityList,
  "oci:Core/defaultSecurityList:DefaultSecurityList": securityList,
  "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule": ({ props }) =>
    props.get("direction").is((value) => value === "INGRESS") ? ociRule(props) : [],
};

/** Security group rules are judged separately: this stack's close the Kubernetes API's port. */
function isBehindGroups(cluster: Resource, resources: readonly Resource[]): boolean {
  const ids = cluster.props.get("endpointConfig", "nsgIds");
  return (
    !ids.is((value) => !Array.isArray(value) || value.length === 0) &&
    refersTo(cluster, "endpointConfig", ids, NSG, resources)
  );
}

/** The API endpoint's subnets are judged with the cluster. */
function isForClients(subnet: Resource, resources: readonly Resource[]): boolean {
  return resources
    .filter(({ type }) => type === OKE)
    .some((cluster) =>
      [
        ["options", cluster.props.get("options", "serviceLbSubnetIds")] as const,
        ["endpointConfig", cluster.props.get("endpointConfig", "subnetId")] as const,
      ].some(([property, ids]) => refersTo(cluster, property, ids, subnet.type, [subnet])),
    );
}

/** By origin where known, else by name. An unknown id may match. */
function refersTo(from: Resource, property: string, ids: Field, type: string, among: readonly Resource[]): boolean {
  const known = among.filter((resource) => resource.type === type);
  const origins = from.dependenciesOf(property) ?? [];
  const listed = oneOrMore(ids);
  const isKnown = (id: Field) => !id.is((value) => !known.some(({ props }) => props.get("id").value === value));
  return known.some(({ urn }) => origins.includes(urn)) || (listed.length > 0 && listed.every(isKnown));
}

/** TCP, as AWS and OCI write it; absent where a rule has no protocol. */
const TCP = /^(tcp|6|undefined)$/i;

function awsRule(rule: Field, sources: readonly string[]): Exposure[] {
  const protocol = ["protocol", "ipProtocol"].map((name) => rule.get(name));
  return sources.flatMap((name) => openDoor(rule.get(name), protocol, rule.get("fromPort"), rule.get("toPort")));
}

/** Path MTU discovery needs it. */
const ICMP = ["1", "58"];

function ociRule(rule: Field): Exposure[] {
  if (rule.get("protocol").is((value) => ICMP.includes(String(value)))) {
    return [];
  }
  const options = rule.get("tcpOptions");
  // Security lists have the ports directly, security groups below a range.
  const ports = options.get("destinationPortRange").is(isObject) ? options.get("destinationPortRange") : options;
  return openDoor(rule.get("source"), [rule.get("protocol")], ports.get("min"), ports.get("max"));
}

/** Ports of gateway and redirect, and node ports for load balancers that keep client addresses. */
const WEB_PORTS = [80, 443, ...Object.values(GATEWAY_NODE_PORTS)];

/** A rule that opens more than the web ports by TCP to the internet; not ICMP or egress rules. */
function openDoor(sources: Field, protocols: readonly Field[], first: Field, last: Field): Exposure[] {
  const isOpen = isWorldOpen(...oneOrMore(sources).flatMap((each) => each.text() ?? []));
  // For other protocols clouds ignore ports, or use them differently.
  const isTcp = !protocols.some((protocol) => protocol.is((value) => !TCP.test(String(value))));
  const isWeb =
    isTcp &&
    WEB_PORTS.some((port) => first.is((value) => Number(value) === port) && last.is((value) => Number(value) === port));
  return isOpen && !isWeb
    ? [
        {
          field: sources,
          allowed: `strangers on ports ${WEB_PORTS.join(", ")} only; the networks of operators elsewhere`,
        },
      ]
    : [];
}

/** S3 groups of everyone, with an AWS account or without. */
const EVERYBODY = /\/groups\/global\/(AllUsers|AuthenticatedUsers)$/;

function publicAcl({ props }: Resource): Exposure[] {
  const acl = props.get("acl");
  const groups = [...select(props, "grants[].uri"), ...select(props, "accessControlPolicy.grants[].grantee.uri")];
  return [
    ...(acl.is((value) => /^(public-|authenticated-read)/.test(String(value)))
      ? [{ field: acl, allowed: "private, or no ACL" }]
      : []),
    ...groups
      .filter((group) => group.is((uri) => EVERYBODY.test(String(uri))))
      .map((field) => ({ field, allowed: "accounts by their canonical id" })),
  ];
}

const NETWORK_KEYS = /^aws:(SourceVpc|SourceVpce|SourceIp|VpcSourceIp)$/i;

/**
 * An Allow for every or nearly every principal, without a condition on caller or network (not TLS).
 */
function publicPolicy({ props }: Resource): Exposure[] {
  const policy = props.get("policy");
  const isPublic = (allowing(policy) ?? []).some(
    (statement) =>
      (statement.get("NotPrincipal").is((value) => value !== undefined) ||
        principalsOf(statement).some((principal) => principal.is((value) => value === "*"))) &&
      !namesCallers(statement) &&
      !isBound(statement, NETWORK_KEYS, (value) => value !== "*" && !isWorldOpen(value)),
  );
  return isPublic
    ? [
        {
          field: policy,
          found: "is open to everyone",
          allowed: "named principals, or a condition on who calls or from where",
        },
      ]
    : [];
}
