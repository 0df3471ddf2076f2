import { GATEWAY_NAMESPACE } from "../../components/gateway/names";
import { hasCompanion, S3_BUCKET } from "../lib/buckets";
import { isObject, snapshot, type Value } from "../lib/field";
import { helmValues } from "../lib/helm-values";
import { type Finding, stackPolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

interface Config {
  readonly gatewayNamespaces: readonly string[];
}

type Exposure = Omit<Finding, "resource">;
type Check = (resource: Resource, resources: readonly Resource[]) => Exposure[];

const PUBLIC_ACCESS_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock";

export const noPublicEndpoint = stackPolicy<Config>(
  {
    name: "no-public-endpoint",
    description:
      "Only the gateway faces the internet: no public bucket, no Kubernetes API open to the world, no other load balancer.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["network", "isolation"],
    configSchema: {
      properties: {
        gatewayNamespaces: {
          type: "array",
          items: { type: "string" },
          default: [GATEWAY_NAMESPACE],
          description: "Namespaces whose Services may have a public load balancer.",
        },
      },
    },
    remediationSteps:
      "Reach it through the gateway or from inside the private network; list the networks of operators where an API must be reachable.",
  },
  (resources, report, { gatewayNamespaces }) => {
    for (const resource of resources) {
      const exposures = [
        ...(CHECKS[resource.type]?.(resource, resources) ?? []),
        ...loadBalancer(resource, gatewayNamespaces),
        ...loadBalancersOfChart(resource, gatewayNamespaces),
      ];
      for (const exposure of exposures) {
        report({ resource, ...exposure });
      }
    }
  },
);

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
      ? [{ field: policy, found: "is open to everyone", allowed: "named principals, or a condition" }]
      : [];
  },
  "aws:eks/cluster:Cluster": ({ props }) => {
    const vpc = props.get("vpcConfig");
    const cidrs = vpc.get("publicAccessCidrs");
    // AWS's defaults: a public endpoint, open to everyone.
    const isPublic = vpc.get("endpointPublicAccess").is((value) => value !== false);
    const isOpen = cidrs.is(
      (value) => !Array.isArray(value) || value.length === 0 || value.some((cidr) => String(cidr).endsWith("/0")),
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
  "oci:ContainerEngine/cluster:Cluster": ({ props }) => mustBeFalse(props.get("endpointConfig", "isPublicIpEnabled")),
};

function mustBeFalse(field: Finding["field"]): Exposure[] {
  return field.is((value) => value === true) ? [{ field, allowed: "false" }] : [];
}

function publicAcl({ props }: Resource): Exposure[] {
  const acl = props.get("acl");
  return acl.is((value) => /^(public-|authenticated-read)/.test(String(value)))
    ? [{ field: acl, allowed: "private, or no ACL" }]
    : [];
}

/** True for a policy document with an unconditional Allow for every principal. */
function allowsAnyone(policy: unknown): boolean {
  const document = typeof policy === "string" ? parseJson(policy) : snapshot(policy);
  const statements = isObject(document) ? asList(document.Statement) : [];
  return statements.some((statement) => {
    if (!isObject(statement) || statement.Effect !== "Allow" || statement.Condition !== undefined) {
      return false;
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

/** Annotations by which cloud controllers make a load balancer private, with the values that do. */
const INTERNAL: Readonly<Record<string, string>> = {
  "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
  "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
  "service.beta.kubernetes.io/oci-load-balancer-internal": "true",
  "oci-network-load-balancer.oraclecloud.com/internal": "true",
};

const INTERNAL_ONLY =
  "ClusterIP; or a load balancer inside the network, by an annotation such as oci-load-balancer-internal or aws-load-balancer-scheme";

function loadBalancer(resource: Resource, gatewayNamespaces: readonly string[]): Exposure[] {
  const type = resource.props.get("spec", "type");
  if (resource.kind !== "Service" || !type.is((value) => value === "LoadBalancer")) {
    return [];
  }
  const isOutside = namespaceOf(resource).is((namespace) => !gatewayNamespaces.includes(String(namespace)));
  const annotations = resource.props.get("metadata", "annotations");
  const isPublic = Object.entries(INTERNAL).every(([name, value]) =>
    annotations.get(name).is((given) => given !== value),
  );
  return isOutside && isPublic ? [{ field: type, allowed: INTERNAL_ONLY }] : [];
}

/** Charts make Services of type LoadBalancer from values such as `service.type`. */
function loadBalancersOfChart(resource: Resource, gatewayNamespaces: readonly string[]): Exposure[] {
  return helmValues(resource)
    .filter(({ key, field }) => /(^type|Type)$/.test(key) && field.value === "LoadBalancer")
    .filter(() => namespaceOf(resource).is((namespace) => !gatewayNamespaces.includes(String(namespace))))
    .map(({ field }) => ({ field, allowed: INTERNAL_ONLY }));
}
