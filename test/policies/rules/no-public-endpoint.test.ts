import type { RecordedInputs } from "../../../policies/evaluate";
import { noPublicEndpoint } from "../../../policies/rules/no-public-endpoint";
import { type Case, object, plan, policyCases, release, resource, UNKNOWN } from "../cases";

const bucket = resource("aws:s3/bucket:Bucket", { bucket: "models" });
const blocked = { blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true };
const block = (changes: object) =>
  resource("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock", { bucket: "models", ...blocked, ...changes });
const bucketPolicy = (statement: object) =>
  resource("aws:s3/bucketPolicy:BucketPolicy", {
    bucket: "models",
    policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
  });
const eks = (vpcConfig: unknown) => resource("aws:eks/cluster:Cluster", { vpcConfig });
const oke = (isPublicIpEnabled: unknown, nsgIds?: unknown) =>
  resource("oci:ContainerEngine/cluster:Cluster", { endpointConfig: { isPublicIpEnabled, nsgIds } });
const machines = (createVnicDetails: unknown) =>
  resource("oci:Core/instanceConfiguration:InstanceConfiguration", {
    instanceDetails: { launchDetails: { createVnicDetails } },
  });
const service = (type: unknown, metadata: object = {}) =>
  object("core/v1", "Service", { spec: { type } }, { namespace: "model-chat", ...metadata });
const portainer = (spec: object, namespace = "portainer") =>
  object(
    "core/v1",
    "Service",
    { spec: { type: "NodePort", externalTrafficPolicy: "Local", ...spec } },
    { name: "portainer-agent-nodes", namespace },
  );
const internal = { annotations: { "service.beta.kubernetes.io/oci-load-balancer-internal": "true" } };
const securityGroup = (cidr: string, port: number) =>
  resource("aws:ec2/securityGroup:SecurityGroup", {
    ingress: [{ protocol: "tcp", cidrBlocks: [cidr], fromPort: port, toPort: port }],
  });
const securityList = (rule: object) =>
  resource("oci:Core/securityList:SecurityList", {
    ingressSecurityRules: [{ protocol: "6", source: "0.0.0.0/0", ...rule }],
  });
const onCloud = (shape: string) => plan({ pools: [{ name: "gpu", role: "gpu", shape, selector: {}, taints: [] }] });
const envoyProxy = (envoyService: object) =>
  object(
    "gateway.envoyproxy.io/v1alpha1",
    "EnvoyProxy",
    { spec: { provider: { kubernetes: { envoyService } } } },
    { namespace: "model-chat" },
  );
const waypoint = (spec: object, annotations?: object) =>
  object(
    "gateway.networking.k8s.io/v1",
    "Gateway",
    { spec },
    { namespace: "model-chat", ...(annotations && { annotations }) },
  );
const exposedChart = { values: { grafana: { service: { type: "LoadBalancer" } } } };

/** A rule that lets everyone in at a range of ports: what it is, where it says so. */
type Door = readonly [string, string, (first: number, last: number) => RecordedInputs];
const doors = [
  ["0.0.0.0/0", "cidrBlocks", "cidrIpv4"],
  ["::/0", "ipv6CidrBlocks", "cidrIpv6"],
].flatMap(([cidr = "", list = "", single = ""]): Door[] => {
  const ports = (fromPort: number, toPort: number) => ({ protocol: "tcp", fromPort, toPort });
  const oci = (min: number, max: number) => ({ protocol: "6", source: cidr, tcpOptions: { min, max } });
  return [
    [
      `a security group open to ${cidr}`,
      `ingress[0].${list}`,
      (...range) =>
        resource("aws:ec2/securityGroup:SecurityGroup", { ingress: [{ ...ports(...range), [list]: [cidr] }] }),
    ],
    [
      `a rule of a security group open to ${cidr}`,
      list,
      (...range) =>
        resource("aws:ec2/securityGroupRule:SecurityGroupRule", {
          ...ports(...range),
          type: "ingress",
          [list]: [cidr],
        }),
    ],
    [
      `a separate ingress rule open to ${cidr}`,
      single,
      (...range) =>
        resource("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", { ...ports(...range), [single]: cidr }),
    ],
    [`a security list open to ${cidr}`, "ingressSecurityRules[0].source", (...range) => securityList(oci(...range))],
  ];
});

const exported = (exportOptions: unknown) => [
  resource("oci:FileStorage/export:Export", { path: "/a", ...(exportOptions !== undefined && { exportOptions }) }),
];

policyCases(noPublicEndpoint, [
  ["a blocked bucket", [bucket, block({})], "pass"],
  [
    "a policy for one role",
    [bucketPolicy({ Effect: "Allow", Principal: { AWS: "arn:aws:iam::1:role/x" }, Action: "s3:*" })],
    "pass",
  ],
  ["a denial for everyone", [bucketPolicy({ Effect: "Deny", Principal: "*", Action: "s3:*" })], "pass"],
  [
    "everyone under a condition",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Condition: { StringEquals: { "aws:SourceVpce": "vpce-1" } } })],
    "pass",
  ],
  ["a private bucket", [resource("oci:ObjectStorage/bucket:Bucket", { accessType: "NoPublicAccess" })], "pass"],
  ["machines without a public address", [machines({ assignPublicIp: false })], "pass"],
  ["machines of which nobody knows it yet", [machines({ assignPublicIp: UNKNOWN })], "unknown"],
  ["machines with a public address", [machines({ assignPublicIp: true })], ["assignPublicIp is true; allowed: false"]],
  ["machines whose subnet decides", [machines({})], ["assignPublicIp is not set; allowed: false"]],
  ["a private EKS", [eks({ endpointPublicAccess: false })], "pass"],
  [
    "EKS for the operators' networks",
    [eks({ endpointPublicAccess: true, publicAccessCidrs: ["192.0.2.0/24"] })],
    "pass",
  ],
  ["a private OKE", [oke(false)], "pass"],
  ["an inner Service", [service("ClusterIP"), service(undefined)], "pass"],
  ["an internal load balancer", [service("LoadBalancer", internal)], "pass"],
  ["the gateway's load balancer", [service("LoadBalancer", { namespace: "inference-gateway" })], "pass"],
  ["the gateway's chart", [release({ ...exposedChart, namespace: "inference-gateway" })], "pass"],

  ["an unblocked bucket", [bucket], ["bucket has no public access block"]],
  [
    "a half-blocked bucket",
    [bucket, block({ blockPublicPolicy: false })],
    ["blockPublicPolicy is false; allowed: true"],
  ],
  ["a public ACL", [resource("aws:s3/bucketAcl:BucketAcl", { acl: "public-read" })], ['acl is "public-read"']],
  [
    "a policy for everyone",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Action: "s3:GetObject" })],
    ["policy is open to everyone"],
  ],
  [
    "a policy for every AWS principal",
    [bucketPolicy({ Effect: "Allow", Principal: { AWS: ["*"] } })],
    ["policy is open to everyone"],
  ],
  [
    "a public OCI bucket",
    [resource("oci:ObjectStorage/bucket:Bucket", { accessType: "ObjectRead" })],
    ['accessType is "ObjectRead"; allowed: NoPublicAccess'],
  ],
  ["EKS by AWS's defaults", [eks({})], ["vpcConfig.publicAccessCidrs is not set"]],
  [
    "EKS open to the world",
    [eks({ publicAccessCidrs: ["0.0.0.0/0"] })],
    ['vpcConfig.publicAccessCidrs is ["0.0.0.0/0"]'],
  ],
  ["EKS open to the world by IPv6", [eks({ publicAccessCidrs: ["::/0"] })], ["::/0"]],
  ["a public OKE", [oke(true)], ["endpointConfig.isPublicIpEnabled is true; allowed: false"]],
  ["a public OKE with no groups", [oke(true, [])], ["endpointConfig.isPublicIpEnabled is true; allowed: false"]],
  [
    "a public OKE behind groups",
    [oke(true, ["nsg-id"]), resource("oci:Core/networkSecurityGroup:NetworkSecurityGroup", {}, { name: "nsg" })],
    "pass",
  ],
  ["a public OKE behind groups of others", [oke(true, ["nsg"])], ["behind security groups of this stack"]],
  ["a public OKE behind groups that nobody knows yet", [oke(true, UNKNOWN)], "unknown"],
  [
    "a group that lets strangers in to the Kubernetes API",
    [
      resource("oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule", {
        direction: "INGRESS",
        protocol: "6",
        source: "0.0.0.0/0",
        tcpOptions: { destinationPortRange: { min: 6443, max: 6443 } },
      }),
    ],
    ["strangers on ports 80, 443, 30443, 30080 only"],
  ],
  [
    "a public database",
    [resource("aws:rds/instance:Instance", { publiclyAccessible: true })],
    ["publiclyAccessible is true"],
  ],
  ["a load balancer of a model", [service("LoadBalancer")], ['Service "model-chat/chat": spec.type is "LoadBalancer"']],
  ["a load balancer of a chart", [release(exposedChart)], ['values.grafana.service.type is "LoadBalancer"']],

  [
    "everyone under a condition that everyone meets",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Condition: { Bool: { "aws:SecureTransport": "true" } } })],
    ["policy is open to everyone"],
  ],
  [
    "everyone from anywhere",
    [bucketPolicy({ Effect: "Allow", Principal: "*", Condition: { IpAddress: { "aws:SourceIp": "0.0.0.0/0" } } })],
    ["policy is open to everyone"],
  ],
  [
    "everyone but one",
    [bucketPolicy({ Effect: "Allow", NotPrincipal: { AWS: "arn:aws:iam::1:role/x" } })],
    ["policy is open to everyone"],
  ],
  [
    "EKS open to the world in two halves",
    [eks({ publicAccessCidrs: ["0.0.0.0/1", "128.0.0.0/1"] })],
    ['vpcConfig.publicAccessCidrs is ["0.0.0.0/1","128.0.0.0/1"]'],
  ],
  ["SSH for the operators", [securityGroup("192.0.2.0/24", 22)], "pass"],
  ["the gateway's node port for everyone", [securityGroup("0.0.0.0/0", 30443)], "pass"],
  [
    "another node port for everyone",
    [securityGroup("0.0.0.0/0", 30444)],
    ["strangers on ports 80, 443, 30443, 30080 only"],
  ],
  ...doors.flatMap(([kind, source, door]): Case[] => [
    [`${kind} at SSH`, [door(22, 22)], [`${source} is`]],
    [`${kind} at ports up to 80`, [door(22, 80)], [`${source} is`]],
    [`${kind} at ports from 443`, [door(443, 444)], [`${source} is`]],
    [`${kind} at every port`, [door(0, 65535)], [`${source} is`]],
    [`${kind} at port 443`, [door(443, 443)], "pass"],
  ]),
  ["path MTU discovery in OCI", [securityList({ protocol: "1" })], "pass"],
  ["a node port", [service("NodePort")], ['spec.type is "NodePort"']],
  ["the node port that a Portainer server connects to, with its address kept", [portainer({})], "pass"],
  [
    "one that hides the server's address",
    [portainer({ externalTrafficPolicy: "Cluster" })],
    ['spec.type is "NodePort"'],
  ],
  ["a load balancer in its place", [portainer({ type: "LoadBalancer" })], ['spec.type is "LoadBalancer"']],
  ["another address of it", [portainer({ externalIPs: ["203.0.113.9"] })], ["spec.externalIPs"]],
  ["its name in another namespace", [portainer({}, "model-chat")], ['spec.type is "NodePort"']],
  ["one whose policy for addresses is unknown", [portainer({ externalTrafficPolicy: UNKNOWN })], "unknown"],
  ["the gateway's node port", [service("NodePort", { namespace: "inference-gateway" })], "pass"],
  [
    "a patch to a load balancer",
    [object("core/v1", "ServicePatch", { spec: { type: "LoadBalancer" } })],
    ["ServicePatch"],
  ],
  [
    "external addresses",
    [object("core/v1", "Service", { spec: { externalIPs: ["192.0.2.1"] } }, { namespace: "inference-gateway" })],
    ["spec.externalIPs"],
  ],
  [
    "a Tailscale funnel",
    [object("core/v1", "Service", {}, { namespace: "model-chat", annotations: { "tailscale.com/funnel": "true" } })],
    ['metadata.annotations["tailscale.com/funnel"] is "true"'],
  ],
  ["the annotation of another cloud", [onCloud("p5.48xlarge"), service("LoadBalancer", internal)], ["spec.type"]],
  ["the annotation of this cloud", [onCloud("VM.GPU.A10.1"), service("LoadBalancer", internal)], "pass"],
  ["an annotation that nobody reads", [onCloud("our-server"), service("LoadBalancer", internal)], ["spec.type"]],
  ...(
    [
      ["networking.k8s.io/v1", "Ingress"],
      ["gateway.networking.k8s.io/v1", "Gateway"],
      ["networking.istio.io/v1", "Gateway"],
      ["traefik.io/v1alpha1", "IngressRoute"],
    ] as const
  ).map(
    ([version, kind]) =>
      [
        `another way in: ${version} ${kind}`,
        [object(version, kind, {}, { namespace: "model-chat" })],
        [`of kind ${kind}`],
      ] as const,
  ),
  [
    "a mesh's proxy in front of a model, inside of the cluster",
    [waypoint({ gatewayClassName: "istio-waypoint" })],
    "pass",
  ],
  [
    "a mesh's proxy that is published",
    [waypoint({ gatewayClassName: "istio-waypoint" }, { "networking.istio.io/service-type": "LoadBalancer" })],
    ["is of kind Gateway"],
  ],
  ["a Gateway of a class that nobody knows yet", [waypoint({ gatewayClassName: UNKNOWN })], "unknown"],
  [
    "the Gateway itself",
    [object("gateway.networking.k8s.io/v1", "Gateway", {}, { namespace: "inference-gateway" })],
    "pass",
  ],
  [
    "proxies elsewhere",
    [envoyProxy({ type: "LoadBalancer" })],
    ['envoyService.type is "LoadBalancer"; allowed: ClusterIP'],
  ],
  ["proxies elsewhere by Envoy Gateway's default", [envoyProxy({})], ["envoyService.type is not set"]],
  ["inner proxies elsewhere", [envoyProxy({ type: "ClusterIP" })], "pass"],
  [
    "a Service that an operator is to make",
    [
      object(
        "ray.io/v1",
        "RayService",
        { spec: { serveService: { spec: { type: "LoadBalancer" } } } },
        { namespace: "a" },
      ),
    ],
    ["spec.serveService.spec.type"],
  ],
  ["a node port of a chart", [release({ values: { service: { type: "NodePort" } } })], ["values.service.type"]],
  ["an Ingress of a chart", [release({ values: { ingress: { enabled: true } } })], ["values.ingress.enabled is true"]],
  ["no Ingress of a chart", [release({ values: { ingress: { enabled: false } } })], "pass"],

  ["an export to its clients", exported([{ source: "10.0.1.0/24", identitySquash: "ROOT" }]), "pass"],
  ["an export to nobody", exported([]), "pass"],
  ["an export without options", exported(undefined), ["exportOptions is not set"]],
  ["an export to everybody", exported([{ source: "0.0.0.0/0" }]), ["exportOptions[0].source is"]],
  [
    "an export to everybody in pieces",
    exported(Array.from({ length: 16 }, (_, i) => ({ source: `${i + 20}.0.0.0/8` }))),
    ["exportOptions is"],
  ],
  ["an export to everybody by IPv6", exported([{ source: "::/0" }]), ["exportOptions[0].source is"]],
  ["an export to another root", exported([{ source: "10.0.1.0/24", identitySquash: "NONE" }]), ["identitySquash is"]],
  ["an export to anybody", exported([{ source: "10.0.1.0/24", isAnonymousAccessAllowed: true }]), ["isAnonymous"]],
  ["an export to who knows", exported([{ source: UNKNOWN }]), "unknown"],
  ["unknown exports", exported(UNKNOWN), "unknown"],
  ...(["aws:fsx/openZfsVolume:OpenZfsVolume", "aws:fsx/openZfsFileSystem:OpenZfsFileSystem"] as const).flatMap(
    (type) => {
      const zfs = (clients: unknown, ...options: string[]) => {
        const nfsExports = { clientConfigurations: [{ clients, options }] };
        return [resource(type, type.includes("Volume") ? { nfsExports } : { rootVolumeConfiguration: { nfsExports } })];
      };
      return [
        [`${type} for its clients`, zfs("10.0.1.0/24", "rw"), "pass"],
        [`${type} for everybody`, zfs("*", "rw"), ['clients is "*"']],
        [`${type} for another root`, zfs("10.0.1.0/24", "rw", "no_root_squash"), ["options[1] is"]],
        [`${type} for who knows`, zfs(UNKNOWN), "unknown"],
      ] as const;
    },
  ),

  ["unknown CIDRs", [eks({ publicAccessCidrs: UNKNOWN })], "unknown"],
  ["unknown flag", [oke(UNKNOWN)], "unknown"],
  ["unknown type", [service(UNKNOWN)], "unknown"],
  ["unknown annotations", [service("LoadBalancer", { annotations: UNKNOWN })], "unknown"],
  ["unknown policy", [resource("aws:s3/bucketPolicy:BucketPolicy", { policy: UNKNOWN })], "unknown"],
]);
