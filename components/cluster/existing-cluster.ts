import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Cluster, LoadBalancer } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";
import { plainLoadBalancer } from "./load-balancers";

export interface ExistingClusterArgs {
  /** Context of the ambient kubeconfig (`KUBECONFIG`, `~/.kube/config`). @default its current context */
  readonly kubeContext?: string;
  /** @default the cluster's default storage class */
  readonly storageClass?: string;
  /** Whether volumes of that class can be made larger later. @default false: a size once made is left alone */
  readonly volumesGrow?: boolean;
  /** Who runs the GPU metrics exporters. */
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: Cluster["privateCidrs"];
  readonly apiServerCidrs: Cluster["apiServerCidrs"];
  /** @default no settings but the environment's own */
  readonly loadBalancer?: LoadBalancer;
}

/** A cluster that somebody else made: the platform goes on it, nothing of it is created or changed. */
export class ExistingCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
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
    this.gpuExporters = args.gpuExporters;
    this.privateCidrs = args.privateCidrs;
    this.apiServerCidrs = args.apiServerCidrs;
    this.loadBalancer = args.loadBalancer ?? plainLoadBalancer;
    this.provider = new kubernetes.Provider(
      this.child("kubernetes"),
      {
        ...(args.kubeContext !== undefined && { context: args.kubeContext }),
        enableServerSideApply: true,
        // Change Secrets and ConfigMaps in place. The provider's default deletes and makes them anew, and for that
        // moment the gateway has no keys. What reads one at its start is rolled by a hash or version of it.
        enableSecretMutable: true,
        enableConfigMapMutable: true,
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
