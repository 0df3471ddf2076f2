import type * as kubernetes from "@pulumi/kubernetes";
import { Provider } from "@pulumi/oci/provider";
import type * as pulumi from "@pulumi/pulumi";
import type { Cluster, IdentityBinder, PoolsReady } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { kubernetesProvider } from "../kubernetes-provider";
import { okeLoadBalancer } from "../load-balancers";
import { plannedPools } from "../planned-pools";
import { platformNodes } from "../platform-nodes";
import { VOLUME_CLASS } from "../volume-class-name";
import { OkeAddons } from "./addons";
import { okeClusterNetworks } from "./cluster-networks";
import { nodePoolStatements } from "./compute-clusters";
import { okeControlPlane } from "./control-plane";
import { OkeIdentity, workloadIdentity } from "./identity";
import { joinedCluster } from "./joined-cluster";
import { OkeKeys } from "./keys";
import { okeKubeconfig } from "./kubeconfig";
import { OkeNetwork } from "./network";
import { OkeNodePools } from "./node-pools";
import { OkeSelfManagedNodes } from "./self-managed-nodes";
import type { OkePool, OkeSettings } from "./settings";
import { okeVolumeClass } from "./volume-class";

export interface OkeClusterArgs {
  readonly settings: OkeSettings;
  readonly pools: readonly OkePool[];
  /** An existing class. @default a new class encrypted with the cluster's key */
  readonly storageClass: string | undefined;
  readonly gpuExporters: Cluster["gpuExporters"];
  /** Private networks in addition to the cluster's own. */
  readonly privateCidrs: readonly string[];
  /** @default the endpoint's subnet and the Service `kubernetes` */
  readonly apiServerCidrs: readonly string[];
}

/** An OKE cluster of this stack: network, keys and node pools. */
export class OkeCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig: pulumi.Output<string>;
  readonly clusterIdentifier: pulumi.Output<string>;
  readonly pools: Cluster["pools"];
  readonly storageClass: string;
  readonly volumeClass: Cluster["volumeClass"];
  readonly volumesGrow = true;
  readonly loadBalancer = okeLoadBalancer;
  readonly networkPolicies = "platform";
  readonly gpuSoftware = "addon";
  readonly rdmaCidr: Cluster["rdmaCidr"];
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly workloadIdentity: IdentityBinder;
  readonly identityGround: Cluster["identityGround"];
  readonly privateCidrs: readonly string[];
  readonly apiServerCidrs: readonly string[];
  readonly ready: readonly pulumi.Resource[];
  readonly gpusReady: readonly pulumi.Resource[];
  readonly poolsReady: PoolsReady;
  readonly rdmaOperator: Cluster["rdmaOperator"];

  constructor(name: string, args: OkeClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:OkeCluster", name, opts);
    const { settings, pools } = args;
    const managed = pools.filter(({ madeBy }) => madeBy === "node-pool");
    const selfManaged = pools.filter(({ madeBy }) => madeBy !== "node-pool");
    const provider = new Provider(this.child("oci"), { region: settings.region }, this.childOptions());
    const home = new Provider(this.child("home"), { region: settings.homeRegion }, this.childOptions());
    const children = this.childOptions({ provider });
    const network = new OkeNetwork(this.child("network"), { settings }, children);
    const keys = new OkeKeys(this.child("keys"), { settings }, children);
    const identity = new OkeIdentity(
      this.child("identity"),
      { settings, keys, poolStatements: nodePoolStatements(settings, managed) },
      this.childOptions({ provider: home }),
    );
    const controlPlane = okeControlPlane(
      this.child("control-plane"),
      { settings, network, keys },
      this.childOptions({ provider, dependsOn: [...identity.ready] }),
    );
    const clusterId = controlPlane.id;
    this.workloadIdentity = workloadIdentity(
      { settings, clusterId, policyName: (binding) => this.child(`workload-${binding}`) },
      this.childOptions({ provider: home }),
    );
    this.kubeconfig = okeKubeconfig(clusterId, settings.endpoint, { provider });
    const nodePools = new OkeNodePools(
      this.child("pools"),
      { settings, clusterId, network, keys, pools: managed },
      children,
    );
    const joined =
      selfManaged.length > 0
        ? new OkeSelfManagedNodes(
            this.child("self-managed"),
            {
              settings,
              clusterId,
              cluster: joinedCluster(controlPlane, this.kubeconfig),
              network,
              keys,
              home,
              pools: selfManaged,
            },
            children,
          ).ready
        : {};
    const nodes: PoolsReady = { ...nodePools.ready, ...joined };
    const addons = new OkeAddons(
      this.child("addons"),
      {
        settings,
        clusterId,
        pools,
        poolIds: nodePools.ids,
        workloadIdentity: this.workloadIdentity,
        nodes,
      },
      children,
    );
    this.clusterIdentifier = clusterId;
    const { compartmentId, homeRegion, environment } = settings;
    this.identityGround = { kind: "oke", clusterId, compartmentId, homeRegion, environment };
    this.provider = kubernetesProvider(
      this.child("kubernetes"),
      { kubeconfig: this.kubeconfig, clusterIdentifier: clusterId },
      this.childOptions(),
    );
    this.pools = plannedPools(pools.map(({ plan }) => plan));
    this.storageClass = args.storageClass ?? VOLUME_CLASS;
    this.volumeClass = args.storageClass === undefined ? okeVolumeClass(keys.volumesKeyId) : undefined;
    this.rdmaCidr = settings.rdmaCidr;
    this.gpuExporters = args.gpuExporters;
    const { privateCidrs, apiServerCidrs } = okeClusterNetworks(settings.network, args);
    this.privateCidrs = privateCidrs;
    this.apiServerCidrs = apiServerCidrs;
    this.ready = [...platformNodes(pools, nodes), ...addons.ready];
    this.gpusReady = addons.gpusReady;
    this.rdmaOperator = addons.rdmaOperator;
    this.poolsReady = Object.fromEntries(
      Object.entries(nodes).map(([pool, made]) => [pool, [...made, ...(addons.poolsReady[pool] ?? [])]]),
    );
    this.registerOutputs({});
  }
}
