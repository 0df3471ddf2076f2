import { describe, it } from "vitest";
import { CLUSTER_MS, surviveKill } from "../../e2e/cloud/interrupted-up";
import { CommandLineStack } from "../../e2e/engine/command-line-stack";
import { CLUSTER, clusterSection, poolsSection } from "../../e2e/oke/settings";
import { sharedBySuite } from "../../e2e/shared-by-suite";

const DELAYS = { [CLUSTER]: { create: CLUSTER_MS } };

// Of every change is engine-eks-killed.test.ts: the same code, in the other cloud.
describe("an engine that is killed while it makes a cluster", { timeout: 300_000 }, () => {
  const stack = sharedBySuite(() =>
    CommandLineStack.start("oci-a10", { ...clusterSection(), ...poolsSection() }, { delays: DELAYS }),
  );

  it("leaves what the runbook mends: the cluster is adopted, and there is no second one", async () => {
    await surviveKill(stack(), CLUSTER);
  });
});
