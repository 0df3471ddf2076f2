import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

/** Cluster and credentials. */
export type ClusterAccess =
  | { readonly context?: string }
  | {
      /** Secret. */
      readonly kubeconfig: pulumi.Output<string>;
      /**
       * Stable identity of the cluster. Without it, a changed kubeconfig would replace every
       * object.
       */
      readonly clusterIdentifier?: pulumi.Output<string>;
    };

/** Provider of all Kubernetes objects of the platform. */
export function kubernetesProvider(
  name: string,
  access: ClusterAccess,
  opts: pulumi.CustomResourceOptions,
): kubernetes.Provider {
  return new kubernetes.Provider(
    name,
    {
      ...access,
      enableServerSideApply: true,
      // Update Secrets and ConfigMaps in place: replacing them would briefly leave the gateway
      // without keys. A hash or version restarts pods that read one at start.
      enableSecretMutable: true,
      enableConfigMapMutable: true,
    },
    opts,
  );
}
