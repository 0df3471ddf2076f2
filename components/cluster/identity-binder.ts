import { Provider as AwsProvider } from "@pulumi/aws/provider";
import { Provider as OciProvider } from "@pulumi/oci/provider";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityBinder, IdentityGround } from "../core/cluster";
import { workloadIdentity as eksIdentity } from "./eks/pod-identity";
import { environmentTags } from "./eks/tags";
import { workloadIdentity as okeIdentity } from "./oke/identity";

/**
 * Grants cloud permissions to service accounts of a cluster from another program, with the
 * deployer's credentials. Creates the provider at first use.
 *
 * @param nameOf logical name for a suffix.
 */
export function identityBinder(
  nameOf: (suffix: string) => string,
  ground: IdentityGround,
  opts: pulumi.CustomResourceOptions,
): IdentityBinder {
  let binder: IdentityBinder | undefined;
  return (binding) => {
    binder ??= ground.kind === "oke" ? ofOke(nameOf, ground, opts) : ofEks(nameOf, ground, opts);
    return binder(binding);
  };
}

function ofOke(
  nameOf: (suffix: string) => string,
  { clusterId, homeRegion, compartmentId, environment }: Extract<IdentityGround, { kind: "oke" }>,
  opts: pulumi.CustomResourceOptions,
): IdentityBinder {
  return okeIdentity(
    {
      settings: { environment, compartmentId },
      clusterId: pulumi.output(clusterId),
      policyName: (binding) => nameOf(`workload-${binding}`),
    },
    { ...opts, provider: new OciProvider(nameOf("home"), { region: homeRegion }, opts) },
  );
}

function ofEks(
  nameOf: (suffix: string) => string,
  { clusterArn, clusterName, region, environment }: Extract<IdentityGround, { kind: "eks" }>,
  opts: pulumi.CustomResourceOptions,
): IdentityBinder {
  return eksIdentity(
    (binding) => nameOf(`identity-${binding}`),
    {
      settings: { environment, region },
      controlPlane: { clusterArn: pulumi.output(clusterArn), clusterName: pulumi.output(clusterName) },
    },
    {
      ...opts,
      provider: new AwsProvider(
        nameOf("aws"),
        { region, defaultTags: { tags: { ...environmentTags({ environment }) } } },
        opts,
      ),
    },
  );
}
