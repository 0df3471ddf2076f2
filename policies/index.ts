import { PolicyPack } from "@pulumi/policy";
import { policies } from "./all";
import { servedPolicies } from "./lib/served";

// Constructing a pack starts its server; import `all` for the policies.
new PolicyPack("inference-stacks", {
  displayName: "inference-stacks",
  policies: servedPolicies(policies, console.log),
});
