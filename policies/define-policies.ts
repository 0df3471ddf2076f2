import { PolicyPack } from "@pulumi/policy";
import { policies } from "./all";
import type { ResourcePolicy, StackPolicy } from "./lib/policy";
import { servedPolicies } from "./lib/served";

/** Starts the server of a pack: the policies of inference-stacks, and a repository's own. */
export function definePolicies(own: readonly (ResourcePolicy | StackPolicy)[] = []): PolicyPack {
  return new PolicyPack("inference-stacks", {
    displayName: "inference-stacks",
    policies: servedPolicies([...policies, ...own], console.log),
  });
}
