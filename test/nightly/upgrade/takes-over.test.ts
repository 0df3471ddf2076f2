import { delimiter, join } from "node:path";
import * as automation from "@pulumi/pulumi/automation";
import { describe, expect, it } from "vitest";
import { configMap } from "../../e2e/engine/environment-file";
import { CHARTS, languageHostFolder } from "../../e2e/engine/project";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { lossesOf } from "../../e2e/upgrade/losses";
import { readRecordedState, recordedVersions } from "../../e2e/upgrade/recorded-state";
import { ReplayStand, type StackMaker } from "../../e2e/upgrade/replay";
import { thinRepository } from "../../harness/thin-repository";
import { environments } from "../../stacks/run";

/** A thin repository, on the real command line, next to what replays need. */
async function start() {
  const stand = await ReplayStand.start();
  const workDir = thinRepository(join(stand.folder, "thin"));
  const host = languageHostFolder(stand.folder);
  const makeStack: StackMaker = async (stackName, file, variables) => {
    const { PATH = "", PULUMI_HOME, ...envVars } = variables;
    process.env.PATH = [PATH, host].join(delimiter);
    const stack = await automation.LocalWorkspace.createStack(
      { stackName, workDir },
      { pulumiHome: PULUMI_HOME, envVars },
    );
    const [[charts, from]] = Object.entries(CHARTS) as [[string, string]];
    await stack.setAllConfig({ ...configMap(file), [charts]: { value: from } });
    return stack;
  };
  return {
    stop: () => stand.stop(),
    replay: (recorded: Parameters<typeof stand.replay>[0]) => stand.replay(recorded, makeStack),
  };
}

describe.each(recordedVersions())("a thin repository takes over what %s left", { timeout: 600_000 }, (version) => {
  const thin = sharedBySuite(start);

  it.each(environments)("%s: nothing that holds state or serves is replaced or deleted", async (environment) => {
    const steps = await thin().replay(readRecordedState(version, environment));
    expect(steps.filter(({ operation }) => operation === "same").length).toBeGreaterThan(0);
    expect(lossesOf(steps)).toEqual([]);
  });
});
