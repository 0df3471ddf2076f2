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
 * Reads the cluster output of another stack, on which platform resources depend.
 *
 * @param stack its name, or `<organization>/<project>/<stack>`.
 * @throws ClusterMismatchError with all mismatches. The engine reports a missing stack itself.
 */
export async function referencedOutputs(stack: string, expected: ExpectedCluster): Promise<ClusterOutputs> {
  const reference = new pulumi.StackReference("cluster-stack", { name: stack });
  // The whole output is secret if any part is; the kubeconfig stays secret below.
  const { value, secretValue } = await reference.getOutputDetails(CLUSTER_OUTPUT);
  return readClusterOutputs(secretValue ?? value, `stack "${stack}"`, expected);
}

export interface ReferencedClusterArgs {
  readonly outputs: ClusterOutputs;
  /** Context of the ambient kubeconfig, if the stack outputs none. @default its current context */
  readonly kubeContext?: string | undefined;
  /** An existing class that overrides the stack's. */
  readonly storageClass?: string | undefined;
  readonly gpuExporters: Cluster["gpuExporters"];
  /** Private networks in addition to the stack's. */
  readonly privateCidrs: readonly string[];
  /** Overrides those of the stack, if any. */
  readonly apiServerCidrs: readonly string[];
}

/** A cluster of another Pulumi stack, which is neither created nor changed. */
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
  /** Its stack waited for nodes and add-ons. */
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
