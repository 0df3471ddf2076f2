import { describe, it } from "vitest";
import { CLUSTER_MS, surviveKill } from "./cloud/interrupted-up";
import { CLUSTER, clusterSection, poolsSection } from "./eks/settings";
import { CommandLineStack } from "./engine/command-line-stack";
import { sharedBySuite } from "./shared-by-suite";

const DELAYS = { [CLUSTER]: { create: CLUSTER_MS } };

describe("an engine that is killed while it makes a cluster", { timeout: 300_000 }, () => {
  const stack = sharedBySuite(() =>
    CommandLineStack.start("aws-prod", { ...clusterSection(), ...poolsSection() }, { delays: DELAYS }),
  );

  it("leaves what the runbook mends: the cluster is adopted, and there is no second one", async () => {
    await surviveKill(stack(), CLUSTER);
  });
});
