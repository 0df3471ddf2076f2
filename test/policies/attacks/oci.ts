import { object, resource } from "../subjects";
import type { Attack } from "./attack";

const RIGHTS = "least-privilege-oci";
const PUBLIC = "no-public-endpoint";
const IN = "in compartment id ocid1.compartment.oc1..a";
const says = (...statements: string[]) => [resource("oci:Identity/policy:Policy", { statements })];
const nsg = (rule: object) => [
  resource("oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule", {
    direction: "INGRESS",
    source: "0.0.0.0/0",
    tcpOptions: { destinationPortRange: { min: 443, max: 443 } },
    ...rule,
  }),
];
const all = { ingressSecurityRules: [{ protocol: "all", source: "0.0.0.0/0" }] };
const cluster = (changes: object) => [
  resource("oci:ContainerEngine/cluster:Cluster", {
    kmsKeyId: "a",
    endpointConfig: { isPublicIpEnabled: false },
    ...changes,
  }),
];

export const OCI: readonly Attack[] = [
  ["a file system for everybody", PUBLIC, [resource("oci:FileStorage/export:Export", { path: "/a" })]],
  [
    "a file system for everybody's root",
    PUBLIC,
    [resource("oci:FileStorage/export:Export", { exportOptions: [{ source: "10.0.0.0/24", identitySquash: "NONE" }] })],
  ],
  [
    "secrets of a compartment that is named twice",
    RIGHTS,
    says(`Allow dynamic-group a to read secret-family ${IN} where target.compartment.name = 'a'`),
  ],
  ["policies", RIGHTS, says(`Allow dynamic-group nodes to manage policies ${IN}`)],
  ["groups", RIGHTS, says(`allow  group a  to USE dynamic-groups ${IN}`)],
  ["policies by permission", RIGHTS, says(`Allow group a to {POLICY_CREATE, POLICY_READ} ${IN}`)],
  ["how users sign in, by permission", RIGHTS, says(`Allow group a to {AUTHENTICATION_POLICY_UPDATE} ${IN}`)],
  ["tags that others get, by permission", RIGHTS, says(`Allow group a to {TAG_DEFAULT_CREATE} ${IN}`)],
  ["clients of sign-in", RIGHTS, says(`Allow group a to manage oauth2-clients ${IN}`)],
  ["every workload", RIGHTS, says(`Allow any-user to manage objects ${IN} where request.principal.type = 'workload'`)],
  [
    "a workload of any cluster",
    RIGHTS,
    says(
      `Allow any-user to read objects ${IN} where ALL {request.principal.type='workload', request.principal.namespace='a', request.principal.service_account='b'}`,
    ),
  ],
  ["every machine", RIGHTS, says(`Allow any-user to read objects ${IN} where request.principal.type = 'instance'`)],
  [
    "a second statement in one text",
    RIGHTS,
    says(`Allow group a to inspect buckets ${IN}\nAllow any-user to manage all-resources in tenancy`),
  ],
  ["commands on machines", RIGHTS, says(`Allow dynamic-group nodes to manage instance-agent-command-family ${IN}`)],
  ["commands by permission", RIGHTS, says(`Allow dynamic-group a to {INSTANCE_AGENT_COMMAND_CREATE} ${IN}`)],
  ["consoles of machines", RIGHTS, says(`Allow dynamic-group a to manage instance-console-connection ${IN}`)],
  ["sessions on machines", RIGHTS, says(`Allow dynamic-group a to use bastion-family ${IN}`)],
  [
    "machines by a workload",
    RIGHTS,
    says(
      `Allow any-user to manage instance-family ${IN} where ALL {request.principal.type='workload', request.principal.cluster_id='c', request.principal.namespace='a', request.principal.service_account='b'}`,
    ),
  ],
  ["pools of machines", RIGHTS, says(`Allow dynamic-group a to manage compute-management-family ${IN}`)],
  ["functions", RIGHTS, says(`Allow dynamic-group a to manage functions-family ${IN}`)],
  ["clusters", RIGHTS, says(`Allow dynamic-group a to manage cluster-family ${IN}`)],
  ["all secrets", RIGHTS, says(`Allow dynamic-group a to read secret-family ${IN}`)],
  ["vaults", RIGHTS, says(`Allow dynamic-group a to manage vaults ${IN}`)],
  ["a subnet of public addresses", PUBLIC, [resource("oci:Core/subnet:Subnet", { prohibitPublicIpOnVnic: false })]],
  ["ports of another protocol", PUBLIC, nsg({ protocol: "all" })],
  ["UDP", PUBLIC, nsg({ protocol: "17" })],
  ["the default list", PUBLIC, [resource("oci:Core/defaultSecurityList:DefaultSecurityList", all)]],
  ["a list", PUBLIC, [resource("oci:Core/securityList:SecurityList", all)]],
  [
    "the older metadata service",
    "node-metadata-service",
    [
      resource("oci:Core/instanceConfiguration:InstanceConfiguration", {
        instanceDetails: { launchDetails: { instanceOptions: { areLegacyImdsEndpointsDisabled: false } } },
      }),
    ],
  ],
  [
    "the older metadata service of nodes",
    "node-metadata-service",
    [resource("oci:ContainerEngine/nodePool:NodePool", {})],
  ],
  [
    "a bucket by its address",
    PUBLIC,
    [resource("oci:ObjectStorage/preauthrequest:Preauthrequest", { accessType: "AnyObjectReadWrite" })],
  ],
  ["a load balancer", PUBLIC, [resource("oci:LoadBalancer/loadBalancer:LoadBalancer", { isPrivate: false })]],
  [
    "a cluster behind groups of others",
    PUBLIC,
    cluster({ endpointConfig: { isPublicIpEnabled: true, nsgIds: ["ocid1.nsg.a"] } }),
  ],
  ["the dashboard", "no-cluster-admin", cluster({ options: { addOns: { isKubernetesDashboardEnabled: true } } })],
  ["a key that can be deleted", "protected-stateful", [resource("oci:Kms/key:Key", {})]],
  ["a vault that can be deleted", "protected-stateful", [resource("oci:Kms/vault:Vault", {})]],
  [
    "a volume that can be deleted",
    "protected-stateful",
    [object("core/v1", "PersistentVolumeClaim", { spec: {} }, { namespace: "a" })],
  ],
  [
    "volumes without a key",
    "encryption-at-rest",
    [
      resource("kubernetes:storage.k8s.io/v1:StorageClass", {
        metadata: { name: "a" },
        provisioner: "blockvolume.csi.oraclecloud.com",
      }),
    ],
  ],
];
