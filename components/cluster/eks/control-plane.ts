import { LogGroup } from "@pulumi/aws/cloudwatch/logGroup";
import { Tag } from "@pulumi/aws/ec2/tag";
import { Cluster } from "@pulumi/aws/eks/cluster";
import { SecurityGroupIngressRule } from "@pulumi/aws/vpc/securityGroupIngressRule";
import type * as pulumi from "@pulumi/pulumi";
import { ofMade } from "../../core/known";
import { PlatformComponent } from "../../core/platform-component";
import { EksAccess } from "./access";
import { EksControlPlaneRole } from "./control-plane-role";
import type { EksKeys } from "./keys";
import type { EksNetwork } from "./network";
import { operatorNetworks } from "./operators";
import type { EksSettings } from "./settings";
import { DISCOVERY_TAG } from "./tags";

export interface EksControlPlaneArgs {
  readonly settings: EksSettings;
  readonly network: Pick<EksNetwork, "subnetIds">;
  readonly keys: Pick<EksKeys, "secretsKeyArn">;
}

/** `audit` records requests, `authenticator` identities. */
const LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

/**
 * The control plane with its role, logs and access.
 *
 * Immutable: name, role, Service addresses, secrets key, no default add-ons, no rights for the
 * creator. A change replaces the cluster; in production it is refused by protection of Pulumi and
 * EKS (`ForceNew` in hashicorp/terraform-provider-aws 00555dc, internal/service/eks/cluster.go;
 * another key is only recorded in the state). EKS does not report the last two, and imported
 * clusters have other values, so differences are ignored (pulumi/pulumi-aws#3997, #4096).
 *
 * The private endpoint is always on: nodes need neither public endpoint access nor egress (EKS User
 * Guide, "Cluster API server endpoint", read 2026-11-23).
 */
export class EksControlPlane extends PlatformComponent {
  /** Cluster name. Known after creation. */
  readonly clusterName: pulumi.Output<string>;
  readonly clusterArn: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  /** PEM in base64. */
  readonly certificateAuthority: pulumi.Output<string>;
  /**
   * Security group that EKS creates for control plane and nodes; a node's only group with the
   * cluster's tag.
   */
  readonly securityGroupId: pulumi.Output<string>;
  /** Access entries of administrators, required to create objects. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: EksControlPlaneArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksControlPlane", name, opts);
    const { settings, network, keys } = args;
    const { environment, endpoint } = settings;
    const operators = operatorNetworks(endpoint);
    // Otherwise EKS would create a group with unlimited retention.
    const logs = new LogGroup(
      this.child("logs"),
      { name: `/aws/eks/${environment}/cluster`, retentionInDays: settings.logRetentionDays },
      this.childOptions(),
    );
    const role = new EksControlPlaneRole(
      this.child("role"),
      { settings, secretsKeyArn: keys.secretsKeyArn, logGroupArn: logs.arn },
      this.childOptions(),
    );
    const cluster = new Cluster(
      this.child("cluster"),
      {
        name: environment,
        version: settings.kubernetesVersion,
        roleArn: role.arn,
        accessConfig: { authenticationMode: "API", bootstrapClusterCreatorAdminPermissions: false },
        bootstrapSelfManagedAddons: false,
        vpcConfig: {
          subnetIds: Object.values(network.subnetIds.controlPlane),
          endpointPrivateAccess: true,
          endpointPublicAccess: endpoint.public,
          // Without a list the public endpoint is open; a private one accepts no list.
          ...(endpoint.public && { publicAccessCidrs: [...operators.overInternet] }),
        },
        kubernetesNetworkConfig: { ipFamily: "ipv4", serviceIpv4Cidr: settings.network.services },
        encryptionConfig: { provider: { keyArn: keys.secretsKeyArn }, resources: ["secrets"] },
        enabledClusterLogTypes: LOGS,
        // EKS upgrades at the end of standard support. Extended support costs six times as much.
        upgradePolicy: { supportType: "STANDARD" },
        deletionProtection: settings.protect,
      },
      this.childOptions({
        protect: settings.protect,
        // The role must outlive the cluster: EKS uses it to remove interfaces and the security
        // group.
        dependsOn: [logs, ...role.ready],
        ignoreChanges: ["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
        replaceOnChanges: ["encryptionConfig.provider.keyArn"],
        // The name stays taken until the cluster is deleted.
        deleteBeforeReplace: true,
        // The provider's defaults are 30, 60 and 15 minutes.
        customTimeouts: { create: "1h", update: "2h", delete: "1h" },
      }),
    );
    this.clusterName = cluster.name;
    this.clusterArn = ofMade(cluster, cluster.arn);
    this.endpoint = ofMade(cluster, cluster.endpoint);
    this.certificateAuthority = ofMade(cluster, cluster.certificateAuthority.data).apply((data) => data ?? "");
    this.securityGroupId = ofMade(cluster, cluster.vpcConfig.clusterSecurityGroupId);
    // Controllers fail if a node has two groups with EKS' tag kubernetes.io/cluster/<name>, so
    // Karpenter uses a separate tag.
    const discovery = new Tag(
      this.child("group-discovery"),
      { resourceId: this.securityGroupId, key: DISCOVERY_TAG, value: environment },
      this.childOptions(),
    );
    const access = new EksAccess(
      this.child("access"),
      { settings, clusterName: this.clusterName },
      this.childOptions(),
    );
    // Only members, the nodes, have access. Operators in connected networks need rules.
    const doors = operators.overNetwork.map((cidr) => {
      const key = cidr.replaceAll(/[./]/g, "-");
      return new SecurityGroupIngressRule(
        this.child(`operators-${key}`),
        {
          securityGroupId: this.securityGroupId,
          description: "Operators, to the Kubernetes API",
          cidrIpv4: cidr,
          ipProtocol: "tcp",
          fromPort: 443,
          toPort: 443,
          tags: { Name: `${environment}-operators-${key}` },
        },
        this.childOptions(),
      );
    });
    this.ready = [discovery, ...doors, ...access.ready];
    this.registerOutputs({});
  }
}
