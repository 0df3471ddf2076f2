import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Cluster } from "../core/cluster";
import { PlatformComponent } from "../core/platform-component";
import { type ExpectedCluster, readClusterOutputs } from "./cluster-mismatch";
import { CLUSTER_OUTPUT, type ClusterOutputs } from "./cluster-outputs";
import { identityBinder } from "./identity-binder";
import { kubernetesProvider } from "./kubernetes-provider";
import { LOAD_BALANCERS } from "./load-balancers";

/**
 * Reads what another stack says of its cluster, before any resource of the platform exists: what it says decides which
 * there are.
 *
 * @param stack its name, or `<organization>/<project>/<stack>`.
 * @throws ClusterMismatchError with everything that does not fit. Of a stack that does not exist the engine itself says so.
 */
export async function referencedOutputs(stack: string, expected: ExpectedCluster): Promise<ClusterOutputs> {
  const reference = new pulumi.StackReference("cluster-stack", { name: stack });
  // The whole output is secret where anything in it is: the kubeconfig is made one again below.
  const { value, secretValue } = await reference.getOutputDetails(CLUSTER_OUTPUT);
  return readClusterOutputs(secretValue ?? value, `stack "${stack}"`, expected);
}

export interface ReferencedClusterArgs {
  /** What its stack says. */
  readonly outputs: ClusterOutputs;
  /** Context of the ambient kubeconfig, where the stack gives none. @default its current context */
  readonly kubeContext?: string | undefined;
  /** A class that exists, instead of the one of its stack. */
  readonly storageClass?: string | undefined;
  /** Who runs the GPU metrics exporters. */
  readonly gpuExporters: Cluster["gpuExporters"];
  /** Networks that are not the internet, besides those that its stack names. */
  readonly privateCidrs: readonly string[];
  /** Instead of those that its stack names, where there are any. */
  readonly apiServerCidrs: readonly string[];
}

/** A cluster that another Pulumi stack made: the platform goes on it, nothing of it is created or changed. */
export class ReferencedCluster extends PlatformComponent implements Cluster {
  readonly provider: kubernetes.Provider;
  readonly kubeconfig: Cluster["kubeconfig"];
  readonly clusterIdentifier: Cluster["clusterIdentifier"];
  readonly pools: Cluster["pools"];
  readonly storageClass: Cluster["storageClass"];
  readonly volumeClass: Cluster["volumeClass"];
  readonly volumesGrow: boolean;
  readonly loadBalancer: Cluster["loadBalancer"];
  readonly networkPolicies: Cluster["networkPolicies"];
  readonly gpuSoftware: Cluster["gpuSoftware"];
  readonly rdmaCidr: Cluster["rdmaCidr"];
  readonly gpuExporters: Cluster["gpuExporters"];
  readonly workloadIdentity: Cluster["workloadIdentity"];
  readonly identityGround: Cluster["identityGround"];
  readonly aws: Cluster["aws"];
  readonly privateCidrs: readonly string[];
  readonly apiServerCidrs: readonly string[];
  /** Its stack waited for its nodes and add-ons. */
  readonly ready = [];
  readonly gpusReady = [];
  readonly poolsReady = {};

  constructor(name: string, args: ReferencedClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("cluster:ReferencedCluster", name, opts);
    const { outputs, kubeContext } = args;
    this.kubeconfig = outputs.kubeconfig === undefined ? undefined : pulumi.secret(outputs.kubeconfig);
    this.clusterIdentifier =
      outputs.clusterIdentifier === undefined ? undefined : pulumi.output(outputs.clusterIdentifier);
    this.provider = kubernetesProvider(
      this.child("kubernetes"),
      this.kubeconfig === undefined
        ? { ...(kubeContext !== undefined && { context: kubeContext }) }
        : {
            kubeconfig: this.kubeconfig,
            ...(this.clusterIdentifier && { clusterIdentifier: this.clusterIdentifier }),
          },
      this.childOptions(),
    );
    this.pools = outputs.pools;
    this.storageClass = args.storageClass ?? outputs.storageClass;
    this.volumeClass = this.storageClass === outputs.storageClass ? outputs.volumeClass : undefined;
    this.volumesGrow = outputs.volumesGrow;
    this.loadBalancer = LOAD_BALANCERS[outputs.loadBalancer];
    this.networkPolicies = outputs.networkPolicies;
    this.gpuSoftware = outputs.gpuSoftware;
    this.rdmaCidr = outputs.rdmaCidr;
    this.aws = outputs.aws;
    this.identityGround = outputs.identityGround;
    this.workloadIdentity =
      outputs.identityGround &&
      identityBinder((suffix) => this.child(suffix), outputs.identityGround, this.childOptions());
    this.gpuExporters = args.gpuExporters;
    this.privateCidrs = [...new Set([...args.privateCidrs, ...outputs.privateCidrs])];
    this.apiServerCidrs = args.apiServerCidrs.length > 0 ? args.apiServerCidrs : outputs.apiServerCidrs;
    this.registerOutputs({});
  }
}
