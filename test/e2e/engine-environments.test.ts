import { EVERY_CHANGE } from "../stacks/every-change";
import { deployedEnvironments } from "./engine/environment-suite";

// dev has a test of its own. The others are deployed every night, and aws-prod destroyed: test/nightly/environments. With every change
// oci-h100 goes with its data and its groups, and clusters of AWS with Karpenter in engine-eks.test.ts and engine-eks-platform.test.ts.
deployedEnvironments(
  EVERY_CHANGE.filter((name) => name !== "dev"),
  ["aws-prod"],
);
