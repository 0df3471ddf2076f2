import { describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { PulumiCommand } from "../../e2e/engine/pulumi";
import { runAfterKill } from "../../e2e/faults/after-kill";
import { ENVIRONMENT, FaultedStack, UP } from "../../e2e/faults/faulted-stack";
import { uninstallPendingReleases } from "../../e2e/faults/pending-releases";
import { createdCount } from "../../e2e/faults/progress";
import { runbookSteps } from "../../e2e/faults/runbook";
import { expectSettled, expectUndisturbed } from "../../e2e/faults/undisturbed";
import { sharedBySuite } from "../../e2e/shared-by-suite";

/** How many resources are created before the engine is killed: by the first `up`, and by the one that mends it. */
const KILLED_AFTER = [20, 60];
const SERVER = "platform-models-assistant-server-statefulset";

describe("an engine that is killed in the middle of up", { timeout: 600_000 }, () => {
  const stack = sharedBySuite(() => FaultedStack.start());

  it("leaves a lock, and what the runbook mends, though the mending is killed too, and again", async () => {
    const [cancel, refresh, takeOver, settle] = runbookSteps();
    if (!cancel || !refresh || !takeOver || !settle) {
      throw new Error("the runbook has other steps than this test");
    }
    const kill = async (command: PulumiCommand): Promise<void> => {
      expect((await command.kill()).status).toBeNull();
      const refused = await runAfterKill(stack(), ENVIRONMENT, UP);
      expect(refused.output).toContain("the stack is currently locked by 1 lock(s)");
      await stack().must(cancel.args);
      await uninstallPendingReleases(stack());
      await stack().must(refresh.args);
    };

    let command = await stack().begin(UP);
    for (const count of KILLED_AFTER) {
      await command.until((output) => createdCount(output) >= count);
      await kill(command);
      command = await stack().begin(takeOver.args, takeOver.variables);
    }
    // The last one while a server gets ready: its object is there, the state does not know.
    await command.until((output) => output.includes(`${SERVER} creating`));
    const { client } = stack().surroundings.plane;
    await waitFor("the server", async () => (await client.list("apps/v1", "StatefulSet")).find(isServer));
    await kill(command);
    const refused = await stack().run(UP);
    expect(refused.status).not.toBe(0);
    expect(refused.output).toContain("already exists");

    await stack().must(takeOver.args, takeOver.variables);
    await expectSettled(stack(), settle);
    await expectUndisturbed(stack());
  });
});

function isServer({ metadata: { namespace } }: { readonly metadata: { readonly namespace?: string } }): boolean {
  return namespace === "model-assistant";
}
