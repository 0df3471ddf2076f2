import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { Cluster } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";

export interface ExistingClusterArgs {
  /** Context of the ambient kubeconfig (`KUBECONFIG`, `~/.kube/config`). @default its current context */
  readonly kubeContext?: string;
  /** @default the cluster's default storage class */
  readonly storageClass?: string;
  /** RuntimeClass of GPU pods. @default none */
  readonly gpuRuntimeClass?: string;
  /** Who runs the GPU metrics exporters. */
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: readonly string[];
}

/** A cluster that somebody else made: the platform goes on it, nothing of it is created or changed. */
export class ExistingCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly storageClass: string | undefined;
  readonly gpuRuntimeClass: string | undefined;
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly privateCidrs: readonly string[];

  constructor(name: string, args: ExistingClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:ExistingCluster", name, opts);
    this.storageClass = args.storageClass;
    this.gpuRuntimeClass = args.gpuRuntimeClass;
    this.gpuExporters = args.gpuExporters;
    this.privateCidrs = args.privateCidrs;
    this.provider = new kubernetes.Provider(
      this.child("kubernetes"),
      {
        ...(args.kubeContext !== undefined && { context: args.kubeContext }),
        enableServerSideApply: true,
      },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}
