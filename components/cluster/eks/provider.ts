import { Provider } from "@pulumi/aws/provider";
import * as pulumi from "@pulumi/pulumi";
import type { EksSettings } from "./settings";
import { environmentTags } from "./tags";

/**
 * The provider of all that an environment makes and asks in AWS: one process, and one entry of the state. It is no child of the cluster,
 * because questions come before that. States of earlier programs have it there: docs/decisions/0051-one-provider-of-aws.md.
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
