import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

/** Which cluster, and as whom. */
export type ClusterAccess =
  | { readonly context?: string }
  | {
      /** Secret. */
      readonly kubeconfig: pulumi.Output<string>;
      /**
       * What stays the same for as long as the cluster is the same one, such as its id in the cloud. Without it, a kubeconfig
       * of another text would replace every object.
       */
      readonly clusterIdentifier?: pulumi.Output<string>;
    };

/** The provider of every object of the platform, whoever made the cluster. */
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
      // Change Secrets and ConfigMaps in place. The provider's default deletes and makes them anew, and for that
      // moment the gateway has no keys. What reads one at its start is rolled by a hash or version of it.
      enableSecretMutable: true,
      enableConfigMapMutable: true,
    },
    opts,
  );
}
