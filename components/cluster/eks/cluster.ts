import type { Provider } from "@pulumi/aws/provider";
import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { AwsGround, Cluster, IdentityBinder, PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { kubernetesProvider } from "../kubernetes-provider";
import { awsLoadBalancer } from "../load-balancers";
import { plannedPools } from "../planned-pools";
import { platformNodes } from "../platform-nodes";
import { VOLUME_CLASS } from "../volume-class-name";
import { EksAddons } from "./addons";
import { eksClusterNetworks } from "./cluster-networks";
import { EksControlPlane } from "./control-plane";
import { EfaSecurityGroup } from "./efa";
import { KarpenterIdentity } from "./karpenter-identity";
import { EksKeys } from "./keys";
import { eksKubeconfig } from "./kubeconfig";
import { LoadBalancerIdentity } from "./load-balancer-identity";
import { EksNetwork } from "./network";
import { EksNodeGroups } from "./node-groups";
import { workloadIdentity } from "./pod-identity";
import type { EksPool, EksSettings } from "./settings";
import { eksVolumeClass } from "./volume-class";

export interface EksClusterArgs {
  readonly provider: Provider;
  readonly settings: EksSettings;
  readonly pools: readonly EksPool[];
  /** An existing class. @default a new class encrypted with the cluster's key */
  readonly storageClass: string | undefined;
  readonly gpuExporters: Cluster["gpuExporters"];
  /** Private networks in addition to the cluster's own. */
  readonly privateCidrs: readonly string[];
  /** @default the control plane subnets and the Service `kubernetes` */
  readonly apiServerCidrs: readonly string[];
}

/**
 * An EKS cluster of this stack: network, keys, node groups, add-ons and IAM permissions of
 * controllers. The platform installs Kubernetes objects (Karpenter, its pools, the load balancer
 * controller).
 */
export class EksCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig: pulumi.Output<string>;
  readonly clusterIdentifier: pulumi.Output<string>;
  readonly pools: Cluster["pools"];
  readonly storageClass: string;
  readonly volumeClass: Cluster["volumeClass"];
  readonly volumesGrow = true;
  readonly loadBalancer = awsLoadBalancer;
  readonly networkPolicies = "present";
  readonly gpuSoftware = "platform";
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly workloadIdentity: IdentityBinder;
  readonly identityGround: Cluster["identityGround"];
  readonly aws: AwsGround;
  readonly privateCidrs: readonly string[];
  readonly apiServerCidrs: readonly string[];
  readonly ready: readonly pulumi.Resource[];
  readonly gpusReady = [];
  readonly poolsReady: PoolsReady;

  constructor(name: string, args: EksClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:EksCluster", name, opts);
    const { settings, pools, provider } = args;
    const { environment, region } = settings;
    const children = this.childOptions({ provider });
    const network = new EksNetwork(this.child("network"), { settings }, children);
    const keys = new EksKeys(this.child("keys"), { settings }, children);
    const controlPlane = new EksControlPlane(this.child("control-plane"), { settings, network, keys }, children);
    const addons = new EksAddons(this.child("addons"), { settings, controlPlane, keys }, children);
    const efa = pools.some((pool) => pool.efa)
      ? new EfaSecurityGroup(this.child("efa"), { settings, vpcId: network.vpcId }, children)
      : undefined;
    const nodeGroups = new EksNodeGroups(
      this.child("node-groups"),
      {
        settings,
        controlPlane,
        network,
        keys,
        efa,
        pools: pools.filter(({ groupNodes }) => groupNodes > 0),
        after: [...network.ready, ...controlPlane.ready, ...addons.beforeNodes],
      },
      children,
    );
    const provisioned = pools.filter(({ karpenterNodes }) => karpenterNodes > 0);
    const karpenter =
      provisioned.length > 0
        ? new KarpenterIdentity(this.child("karpenter"), { settings, controlPlane, keys, pools: provisioned }, children)
        : undefined;
    const loadBalancers = new LoadBalancerIdentity(
      this.child("load-balancers"),
      { settings, controlPlane, network },
      children,
    );
    this.workloadIdentity = workloadIdentity(
      (binding) => this.child(`identity-${binding}`),
      { settings, controlPlane },
      children,
    );
    this.aws = {
      clusterName: environment,
      region,
      vpcId: network.vpcId,
      zones: settings.zones,
      ...(karpenter && { karpenter: karpenter.ground }),
    };
    this.clusterIdentifier = controlPlane.clusterArn;
    const { clusterArn, clusterName } = controlPlane;
    this.identityGround = { kind: "eks", clusterArn, clusterName, region, environment };
    this.kubeconfig = eksKubeconfig(controlPlane, region);
    this.provider = kubernetesProvider(
      this.child("kubernetes"),
      { kubeconfig: this.kubeconfig, clusterIdentifier: this.clusterIdentifier },
      this.childOptions(),
    );
    this.pools = plannedPools(pools.map(({ plan }) => plan));
    this.storageClass = args.storageClass ?? VOLUME_CLASS;
    this.volumeClass = args.storageClass === undefined ? eksVolumeClass(keys.volumesKeyArn) : undefined;
    this.gpuExporters = args.gpuExporters;
    const { privateCidrs, apiServerCidrs } = eksClusterNetworks(settings.network, args);
    this.privateCidrs = privateCidrs;
    this.apiServerCidrs = apiServerCidrs;
    this.poolsReady = nodeGroups.ready;
    const ownNodes = platformNodes(pools, nodeGroups.ready);
    this.ready = [
      ...controlPlane.ready,
      ...ownNodes,
      ...addons.installOn(ownNodes),
      ...(karpenter?.ready ?? []),
      ...(efa?.ready ?? []),
      ...loadBalancers.ready,
    ];
    this.registerOutputs({});
  }
}
