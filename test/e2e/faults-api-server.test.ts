import { describe, expect, it } from "vitest";
import { FaultedStack, UP } from "./faults/faulted-stack";
import { createdCount, isCreating } from "./faults/progress";
import { runbookSteps } from "./faults/runbook";
import { expectSettled, expectUndisturbed } from "./faults/undisturbed";
import { sharedBySuite } from "./shared-by-suite";

const KILLED_AFTER = 60;

describe("an API server that is killed in the middle of up", { timeout: 600_000 }, () => {
  const stack = sharedBySuite(() => FaultedStack.start());

  it("fails up with the reason, and leaves what the runbook mends once it is back", async () => {
    const { plane } = stack().surroundings;
    const command = await stack().begin(UP);
    // A chart that is being installed would need Helm, which the runbook says beside its commands.
    await command.until(
      (output) => createdCount(output) >= KILLED_AFTER && !isCreating(output, "kubernetes:helm.sh/v3:Release"),
    );
    await plane.killApiServer();
    await command.until((output) => /ECONNREFUSED|ECONNRESET|socket hang up/.test(output));
    await plane.restartApiServer();
    expect((await command.finished).status).not.toBe(0);

    const steps = runbookSteps();
    for (const { args, variables } of steps.slice(0, -1)) {
      await stack().must(args, variables);
    }
    for (const step of steps.slice(-1)) {
      await expectSettled(stack(), step);
    }
    await expectUndisturbed(stack());
  });
});
