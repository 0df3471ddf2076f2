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

/** All that a control plane can log. `audit` is who did what, `authenticator` who came as whom. */
const LOGS = ["api", "audit", "authenticator", "controllerManager", "scheduler"];

/**
 * The control plane, its role, its logs, and who may get in.
 *
 * What it is made with for good: name, role, addresses of Services, key of its secrets, no add-ons that it would bring and
 * nobody manage, no rights for whoever made it. Another value there replaces the cluster, with all that runs on it; in
 * production it is protected, by Pulumi and by EKS, so that such a change is refused instead (`ForceNew` in
 * hashicorp/terraform-provider-aws 00555dc, internal/service/eks/cluster.go; another key the provider would write down
 * there, and change nothing). Of the last two EKS tells nothing back, and a cluster that was imported has another value in
 * the state: their differences are ignored (pulumi/pulumi-aws#3997, #4096).
 *
 * The private endpoint is always on: inside of the network the name of the API leads to it, so that nodes need no place
 * in the list of the public one, and no way out to come back in (EKS User Guide, "Cluster API server endpoint", read
 * 2026-11-23).
 */
export class EksControlPlane extends PlatformComponent {
  /** Of the cluster. Known once it is there. */
  readonly clusterName: pulumi.Output<string>;
  readonly clusterArn: pulumi.Output<string>;
  readonly endpoint: pulumi.Output<string>;
  /** PEM in base64. */
  readonly certificateAuthority: pulumi.Output<string>;
  /** The group that EKS makes, of control plane and nodes: the one of a node's that has the cluster's tag. */
  readonly securityGroupId: pulumi.Output<string>;
  /** Access of the administrators: nobody can make an object without it. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: EksControlPlaneArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksControlPlane", name, opts);
    const { settings, network, keys } = args;
    const { environment, endpoint } = settings;
    const operators = operatorNetworks(endpoint);
    // Made before the cluster: EKS would make one that keeps logs forever.
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
          // Without a list the public endpoint is everybody's; of a private one EKS takes none.
          ...(endpoint.public && { publicAccessCidrs: [...operators.overInternet] }),
        },
        kubernetesNetworkConfig: { ipFamily: "ipv4", serviceIpv4Cidr: settings.network.services },
        encryptionConfig: { provider: { keyArn: keys.secretsKeyArn }, resources: ["secrets"] },
        enabledClusterLogTypes: LOGS,
        // At the end of a version's standard support EKS moves the cluster on, instead of charging six times as much.
        upgradePolicy: { supportType: "STANDARD" },
        deletionProtection: settings.protect,
      },
      this.childOptions({
        protect: settings.protect,
        // Its rights last longer than the cluster: EKS removes network interfaces and its group with them.
        dependsOn: [logs, ...role.ready],
        ignoreChanges: ["accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons"],
        replaceOnChanges: ["encryptionConfig.provider.keyArn"],
        // Its name is taken until it is gone.
        deleteBeforeReplace: true,
        // The provider's own limits are 30, 60 and 15 minutes.
        customTimeouts: { create: "1h", update: "2h", delete: "1h" },
      }),
    );
    this.clusterName = cluster.name;
    this.clusterArn = ofMade(cluster, cluster.arn);
    this.endpoint = ofMade(cluster, cluster.endpoint);
    this.certificateAuthority = ofMade(cluster, cluster.certificateAuthority.data).apply((data) => data ?? "");
    this.securityGroupId = ofMade(cluster, cluster.vpcConfig.clusterSecurityGroupId);
    // EKS gives the group its own tag, kubernetes.io/cluster/<name>: a second group with that on a node and controllers
    // refuse to choose. Karpenter's nodes get this group alone, by a tag of their own.
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
    // The group lets in its members alone: nodes. Operators inside of the network, or connected to it, are none.
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
