import { expect } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { CommandLineStack } from "../engine/command-line-stack";
import type { ExportedDeployment } from "../engine/secret-search";
import { emptyAttributes, runAfterKill } from "../faults/after-kill";
import { runbookSteps } from "../faults/runbook";

const SECTION = "## When an up was interrupted while it made the cluster";
const UP = ["up", "--yes", "--skip-preview"];
/** How long the cloud makes the cluster: long enough to be killed in, short enough to wait for. */
export const CLUSTER_MS = 4_000;

/**
 * Kills the engine while the cloud makes the cluster, and goes by the runbook: the cluster is adopted, there is no second one, and
 * what the program makes is all there is.
 *
 * @param cluster token of its type.
 */
export async function surviveKill(stack: CommandLineStack, cluster: string): Promise<void> {
  const { cloud, offline } = stack.surroundings;
  const command = stack.begin(UP);
  await waitFor("the cluster to be begun", async () => cloud.of(cluster)[0], 120);
  expect((await command.kill()).status).toBeNull();
  // The cloud goes on: nobody told it to stop.
  await waitFor("the cluster to be made", async () => (cloud.of(cluster)[0]?.ready ? true : undefined));

  emptyAttributes(stack, stack.name);
  const [cancel, list, forget, adopt, again] = runbookSteps(SECTION);
  if (!cancel || !list || !forget || !adopt || !again) {
    throw new Error("the runbook has other steps than this test");
  }
  expect(await runAfterKill(stack, stack.name, cancel.args)).toMatchObject({ status: 0 });
  const { output } = await stack.must(list.args);
  const pending =
    (JSON.parse(output) as { readonly deployment: ExportedDeployment }).deployment.pending_operations ?? [];
  expect(pending.map(({ resource }) => resource.type)).toContain(cluster);
  await stack.must(forget.args);
  for (const { resource } of pending) {
    const name = resource.urn.slice(resource.urn.lastIndexOf("::") + 2);
    // What an operator finds by its name in the cloud's console.
    const id = cloud.events().find((event) => event.event === "created" && event.name === name)?.id;
    if (id === undefined) {
      continue;
    }
    const values: Readonly<Record<string, string | undefined>> = {
      "<type>": resource.type,
      "<name>": name,
      "<id>": id,
      "<parent>": resource.parent,
      "<provider>": resource.provider?.slice(0, resource.provider.lastIndexOf("::")),
    };
    await stack.must(adopt.args.map((arg) => arg.replace(/<\w+>/, (key) => values[key] ?? key)));
  }
  await stack.must(again.args);

  const ofCloud = `${cluster.split(":")[0]}:`;
  const planned = offline.recording.resources.map(({ type }) => type).filter((type) => type.startsWith(ofCloud));
  const there = cloud.all().map(({ type }) => type);
  expect(there.toSorted()).toEqual(planned.toSorted());
  await stack.must([...UP, "--expect-no-changes"]);
}
