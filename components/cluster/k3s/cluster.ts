import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { PoolPlan } from "../../../planner/types";
import type { Cluster } from "../../core/cluster";
import { PlatformComponent } from "../../core/platform-component";
import { kubernetesProvider } from "../kubernetes-provider";
import { plainLoadBalancer } from "../load-balancers";
import { plannedPools } from "../planned-pools";
import { hostChecks } from "./host-checks";
import { k3sHost } from "./k3s-host";
import { k3sAccess } from "./kubeconfig";
import { ON_K3S } from "./on-k3s";
import type { K3sSettings } from "./settings";

export interface K3sClusterArgs {
  readonly settings: K3sSettings;
  /** The one pool: the machine. */
  readonly pools: readonly PoolPlan[];
  readonly storageClass: string;
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: readonly string[];
  readonly apiServerCidrs: readonly string[];
}

/** Checks a user's machine, installs k3s over SSH, and reads the kubeconfig. */
export class K3sCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig: pulumi.Output<string>;
  readonly clusterIdentifier: pulumi.Output<string>;
  readonly pools: Cluster["pools"];
  readonly storageClass: string;
  readonly volumeClass = undefined;
  /** `local-path` volumes are folders and cannot be expanded. */
  readonly volumesGrow = false;
  readonly loadBalancer = plainLoadBalancer;
  readonly networkPolicies = ON_K3S.networkPolicies;
  readonly gpuSoftware = ON_K3S.gpuSoftware;
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly gpuDeviceGroups: pulumi.Output<readonly number[]>;
  readonly workloadIdentity = undefined;
  readonly privateCidrs: readonly string[];
  readonly apiServerCidrs: readonly string[];
  readonly ready: readonly pulumi.Resource[];
  readonly gpusReady = [];
  readonly poolsReady = {};

  constructor(name: string, args: K3sClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:K3sCluster", name, opts);
    const { settings } = args;
    const { checks, facts } = hostChecks(this.child("host-checks"), settings, this.childOptions());
    const host = k3sHost(this.child("k3s"), settings, this.childOptions({ dependsOn: [checks] }));
    const access = k3sAccess(this.child("kubeconfig"), settings, host, this.childOptions());
    this.kubeconfig = access.kubeconfig;
    this.clusterIdentifier = access.clusterIdentifier;
    this.provider = kubernetesProvider(this.child("kubernetes"), access, this.childOptions());
    this.pools = plannedPools(args.pools);
    this.storageClass = args.storageClass;
    this.gpuExporters = args.gpuExporters;
    this.gpuDeviceGroups = facts.apply(({ deviceGroups }) => deviceGroups);
    this.privateCidrs = args.privateCidrs;
    this.apiServerCidrs = args.apiServerCidrs;
    this.ready = [host];
    this.registerOutputs({});
  }
}
