import { describe, expect, it } from "vitest";
import { waitFor } from "../../rehearsal/cluster/wait";
import { CommandLineStack } from "./engine/command-line-stack";
import type { ExportedDeployment } from "./engine/secret-search";
import { runbookSteps } from "./faults/runbook";
import { CLUSTER, clusterSection, poolsSection } from "./oke/settings";
import { sharedBySuite } from "./shared-by-suite";

const SECTION = "## When an up was interrupted while it made the cluster";
const UP = ["up", "--yes", "--skip-preview"];
/** Long enough to be killed in, short enough to wait for. */
const DELAYS = { [CLUSTER]: { create: 4_000 } };

describe("an engine that is killed while it makes a cluster", { timeout: 300_000 }, () => {
  const stack = sharedBySuite(() =>
    CommandLineStack.start("oci-a10", { ...clusterSection(), ...poolsSection() }, { delays: DELAYS }),
  );

  it("leaves what the runbook mends: the cluster is adopted, and there is no second one", async () => {
    const { cloud, offline } = stack().surroundings;
    const command = stack().begin(UP);
    await waitFor("the cluster to be begun", async () => cloud.of(CLUSTER)[0], 120);
    expect((await command.kill()).status).toBeNull();
    // The cloud goes on: nobody told it to stop.
    await waitFor("the cluster to be made", async () => (cloud.of(CLUSTER)[0]?.ready ? true : undefined));

    const [cancel, list, forget, adopt, again] = runbookSteps(SECTION);
    if (!cancel || !list || !forget || !adopt || !again) {
      throw new Error("the runbook has other steps than this test");
    }
    await stack().must(cancel.args);
    const { output } = await stack().must(list.args);
    const pending =
      (JSON.parse(output) as { readonly deployment: ExportedDeployment }).deployment.pending_operations ?? [];
    expect(pending.map(({ resource }) => resource.type)).toContain(CLUSTER);
    await stack().must(forget.args);
    for (const { resource } of pending) {
      const name = resource.urn.slice(resource.urn.lastIndexOf("::") + 2);
      const values: Readonly<Record<string, string | undefined>> = {
        "<type>": resource.type,
        "<name>": name,
        // What an operator finds by its name in the cloud's console.
        "<ocid>": cloud.events().find((event) => event.event === "created" && event.name === name)?.id,
        "<parent>": resource.parent,
        "<provider>": resource.provider?.slice(0, resource.provider.lastIndexOf("::")),
      };
      await stack().must(adopt.args.map((arg) => arg.replace(/<\w+>/, (key) => values[key] ?? key)));
    }
    await stack().must(again.args);

    const planned = offline.recording.resources.map(({ type }) => type).filter((type) => type.startsWith("oci:"));
    expect(
      cloud
        .all()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(planned.sort());
    await stack().must([...UP, "--expect-no-changes"]);
  });
});
