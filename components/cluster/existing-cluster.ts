import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { PoolPlan } from "../../planner/types";
import type { Cluster, LoadBalancer } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";
import { kubernetesProvider } from "./kubernetes-provider";
import { plainLoadBalancer } from "./load-balancers";
import { plannedPools } from "./planned-pools";

export interface ExistingClusterArgs {
  /**
   * Context of the ambient kubeconfig (`KUBECONFIG`, `~/.kube/config`).
   * @default its current context
   */
  readonly kubeContext?: string;
  /** @default the cluster's default storage class */
  readonly storageClass?: string;
  /** Whether volumes of that class can be expanded. @default false: sizes never change */
  readonly volumesGrow?: boolean;
  /** Not checked for existence; `npm run doctor` does. */
  readonly pools: readonly PoolPlan[];
  readonly gpuSoftware: ExistingCluster["gpuSoftware"];
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: Cluster["privateCidrs"];
  readonly apiServerCidrs: Cluster["apiServerCidrs"];
  /** @default only the environment's settings */
  readonly loadBalancer?: LoadBalancer;
}

/** An existing cluster, which is neither created nor changed. */
export class ExistingCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig = undefined;
  readonly clusterIdentifier = undefined;
  readonly pools: Cluster["pools"];
  readonly volumeClass = undefined;
  readonly networkPolicies = "present";
  readonly gpuSoftware: "platform" | "present";
  readonly workloadIdentity = undefined;
  readonly ready = [];
  readonly gpusReady = [];
  readonly poolsReady = {};
  readonly storageClass: string | undefined;
  readonly volumesGrow: boolean;
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: Cluster["privateCidrs"];
  readonly apiServerCidrs: Cluster["apiServerCidrs"];
  readonly loadBalancer: LoadBalancer;

  constructor(name: string, args: ExistingClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:ExistingCluster", name, opts);
    this.storageClass = args.storageClass;
    this.volumesGrow = args.volumesGrow ?? false;
    this.gpuSoftware = args.gpuSoftware;
    this.gpuExporters = args.gpuExporters;
    this.privateCidrs = args.privateCidrs;
    this.apiServerCidrs = args.apiServerCidrs;
    this.loadBalancer = args.loadBalancer ?? plainLoadBalancer;
    this.pools = plannedPools(args.pools);
    const { kubeContext } = args;
    this.provider = kubernetesProvider(
      this.child("kubernetes"),
      kubeContext === undefined ? {} : { context: kubeContext },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
