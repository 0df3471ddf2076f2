import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { hasCompanion, S3_BUCKET } from "./buckets";
import { isWorldOpen } from "./cidr";
import { type Field, isObject, snapshot, type Value } from "./field";
import type { Finding } from "./policy";
import type { Resource } from "./resource";

export type Exposure = Omit<Finding, "resource">;
type Check = (resource: Resource, resources: readonly Resource[]) => Exposure[];

const PUBLIC_ACCESS_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock";

/** What a cloud resource opens to strangers. */
export function cloudExposures(resource: Resource, resources: readonly Resource[]): Exposure[] {
  return CHECKS[resource.type]?.(resource, resources) ?? [];
}

const CHECKS: Readonly<Record<string, Check>> = {
  [S3_BUCKET]: (bucket, resources) => [
    ...publicAcl(bucket),
    ...(hasCompanion(bucket, PUBLIC_ACCESS_BLOCK, resources)
      ? []
      : [
          {
            field: bucket.props.get("bucket"),
            found: "has no public access block",
            allowed: `a ${PUBLIC_ACCESS_BLOCK} for the bucket`,
          },
        ]),
  ],
  "aws:s3/bucketAcl:BucketAcl": publicAcl,
  [PUBLIC_ACCESS_BLOCK]: ({ props }) =>
    ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"]
      .map((name) => props.get(name))
      .filter((field) => field.is((value) => value !== true))
      .map((field) => ({ field, allowed: "true" })),
  "aws:s3/bucketPolicy:BucketPolicy": ({ props }) => {
    const policy = props.get("policy");
    return policy.is(allowsAnyone)
      ? [
          {
            field: policy,
            found: "is open to everyone",
            allowed: "named principals, or a condition on who calls or from where",
          },
        ]
      : [];
  },
  "aws:eks/cluster:Cluster": ({ props }) => {
    const vpc = props.get("vpcConfig");
    const cidrs = vpc.get("publicAccessCidrs");
    // AWS's defaults: a public endpoint, open to everyone.
    const isPublic = vpc.get("endpointPublicAccess").is((value) => value !== false);
    const isOpen = cidrs.is(
      (value) => !Array.isArray(value) || value.length === 0 || value.some((cidr) => isWorldOpen(String(cidr))),
    );
    return isPublic && isOpen
      ? [{ field: cidrs, allowed: "endpointPublicAccess: false, or the networks of the operators" }]
      : [];
  },
  "aws:rds/instance:Instance": ({ props }) => mustBeFalse(props.get("publiclyAccessible")),
  "oci:ObjectStorage/bucket:Bucket": ({ props }) => {
    const access = props.get("accessType");
    return access.is((value) => value !== undefined && value !== "NoPublicAccess")
      ? [{ field: access, allowed: "NoPublicAccess" }]
      : [];
  },
  "oci:ContainerEngine/cluster:Cluster": ({ props }) => {
    const isPublic = props.get("endpointConfig", "isPublicIpEnabled");
    // Rules of the groups are judged themselves: they let no strangers in at the port of the Kubernetes API.
    const hasGroups = !props.get("endpointConfig", "nsgIds").is((ids) => !Array.isArray(ids) || ids.length === 0);
    return isPublic.is((value) => value === true) && !hasGroups
      ? [{ field: isPublic, allowed: "false, or true behind security groups (endpointConfig.nsgIds)" }]
      : [];
  },
  // What is left out depends on the subnet: a public one gives machines public addresses.
  "oci:Core/instanceConfiguration:InstanceConfiguration": ({ props }) => {
    const address = props.get("instanceDetails", "launchDetails", "createVnicDetails", "assignPublicIp");
    return address.is((value) => value !== false) ? [{ field: address, allowed: "false" }] : [];
  },
  "aws:ec2/securityGroup:SecurityGroup": ({ props }) =>
    props
      .get("ingress")
      .items()
      .flatMap((rule) => [
        ...openDoor(rule.get("cidrBlocks"), rule.get("fromPort"), rule.get("toPort")),
        ...openDoor(rule.get("ipv6CidrBlocks"), rule.get("fromPort"), rule.get("toPort")),
      ]),
  "aws:ec2/securityGroupRule:SecurityGroupRule": ({ props }) =>
    props.get("type").is((value) => value === "ingress")
      ? [
          ...openDoor(props.get("cidrBlocks"), props.get("fromPort"), props.get("toPort")),
          ...openDoor(props.get("ipv6CidrBlocks"), props.get("fromPort"), props.get("toPort")),
        ]
      : [],
  "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": ({ props }) => [
    ...openDoor(props.get("cidrIpv4"), props.get("fromPort"), props.get("toPort")),
    ...openDoor(props.get("cidrIpv6"), props.get("fromPort"), props.get("toPort")),
  ],
  "oci:Core/securityList:SecurityList": ({ props }) => props.get("ingressSecurityRules").items().flatMap(ociRule),
  "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule": ({ props }) =>
    props.get("direction").is((value) => value === "INGRESS") ? ociRule(props) : [],
};

/** ICMP in OCI, which path MTU discovery needs. */
const ICMP = ["1", "58"];

function ociRule(rule: Field): Exposure[] {
  if (rule.get("protocol").is((value) => ICMP.includes(String(value)))) {
    return [];
  }
  const options = rule.get("tcpOptions");
  // A rule of a security list has the ports beside each other, one of a security group below a range.
  const ports = options.get("destinationPortRange").is(isObject) ? options.get("destinationPortRange") : options;
  return openDoor(rule.get("source"), ports.get("min"), ports.get("max"));
}

/** Ports of the gateway, and of its redirect; and those of nodes that a load balancer leads clients to with their own address. */
const WEB_PORTS = [80, 443, ...Object.values(GATEWAY_NODE_PORTS)];

/** A rule that lets strangers in to more than the web ports; ICMP and rules of outgoing traffic are no doors. */
function openDoor(sources: Field, first: Field, last: Field): Exposure[] {
  const isOpen = sources.is((value) => asList(value).some((cidr) => typeof cidr === "string" && isWorldOpen(cidr)));
  const isWeb = WEB_PORTS.some(
    (port) => first.is((value) => Number(value) === port) && last.is((value) => Number(value) === port),
  );
  return isOpen && !isWeb
    ? [
        {
          field: sources,
          allowed: `strangers on ports ${WEB_PORTS.join(", ")} only; the networks of operators elsewhere`,
        },
      ]
    : [];
}

function mustBeFalse(field: Finding["field"]): Exposure[] {
  return field.is((value) => value === true) ? [{ field, allowed: "false" }] : [];
}

function publicAcl({ props }: Resource): Exposure[] {
  const acl = props.get("acl");
  return acl.is((value) => /^(public-|authenticated-read)/.test(String(value)))
    ? [{ field: acl, allowed: "private, or no ACL" }]
    : [];
}

/** Condition keys that say who calls, or from where, with the operators that compare them. */
const CALLER_KEYS =
  /^aws:(PrincipalOrgID|PrincipalOrgPaths|PrincipalAccount|PrincipalArn|SourceAccount|SourceArn|SourceOrgID|SourceVpc|SourceVpce|SourceIp|VpcSourceIp)$/i;
const COMPARISONS = /^(ForAny(Value)?:)?(StringEquals|StringLike|ArnEquals|ArnLike|IpAddress)$/i;

/** A condition that strangers do not meet: TLS alone, for example, is no such thing. */
function bindsTheCaller(condition: Value): boolean {
  return (
    isObject(condition) &&
    Object.entries(condition).some(
      ([operator, tests]) =>
        COMPARISONS.test(operator) &&
        isObject(tests) &&
        Object.entries(tests).some(
          ([key, values]) =>
            CALLER_KEYS.test(key) && asList(values).every((value) => value !== "*" && !isWorldOpen(String(value))),
        ),
    )
  );
}

/** True for a policy document with an Allow for every principal, or for all but some, that does not say who calls. */
function allowsAnyone(policy: unknown): boolean {
  const document = typeof policy === "string" ? parseJson(policy) : snapshot(policy);
  const statements = isObject(document) ? asList(document.Statement) : [];
  return statements.some((statement) => {
    if (!isObject(statement) || statement.Effect !== "Allow" || bindsTheCaller(statement.Condition)) {
      return false;
    }
    if (statement.NotPrincipal !== undefined) {
      return true;
    }
    const principal = isObject(statement.Principal) ? statement.Principal.AWS : statement.Principal;
    return asList(principal).includes("*");
  });
}

function asList(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : [value];
}

function parseJson(text: string): Value {
  try {
    return snapshot(JSON.parse(text));
  } catch {
    // AWS refuses a malformed document by itself.
    return undefined;
  }
}
