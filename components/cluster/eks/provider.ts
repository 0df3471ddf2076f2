import { Provider } from "@pulumi/aws/provider";
import * as pulumi from "@pulumi/pulumi";
import type { EksSettings } from "./settings";
import { environmentTags } from "./tags";

/**
 * The AWS provider of an environment: one process and state entry. No child of the cluster, because
 * capacity checks run first. Older states: docs/decisions/0051-one-provider-of-aws.md.
 */
export function eksProvider(settings: EksSettings): Provider {
  const { region, accountId } = settings;
  return new Provider(
    "cluster-aws",
    {
      region,
      ...(accountId !== undefined && { allowedAccountIds: [accountId] }),
      defaultTags: { tags: { ...environmentTags(settings) } },
    },
    { aliases: [{ parent: pulumi.createUrn("cluster", "inference:cluster:EksCluster") }] },
  );
}
