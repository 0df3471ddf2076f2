import { describe, expect, it } from "vitest";
import { environments } from "../stacks/run";
import { sharedBySuite } from "./shared-by-suite";
import { lossesOf } from "./upgrade/losses";
import { readRecordedState, recordedVersions } from "./upgrade/recorded-state";
import { ReplayStand } from "./upgrade/replay";

describe.each(recordedVersions())("an upgrade from %s", { timeout: 300_000 }, (version) => {
  const stand = sharedBySuite(() => ReplayStand.start());

  it.each(environments)("%s: nothing that holds state or serves is replaced or deleted", async (environment) => {
    const recorded = readRecordedState(version, environment);
    const steps = await stand().replay(recorded);
    // Where the program did not know the recorded resources, it would make all anew.
    expect(steps.filter(({ operation }) => operation === "same").length).toBeGreaterThan(0);
    expect(lossesOf(steps)).toEqual([]);
  });
});
