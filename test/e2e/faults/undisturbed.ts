import { expect } from "vitest";
import type { KubernetesObject } from "../../../kubernetes/object";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { isOwned } from "../engine/providers/field-owners";
import { leaks } from "../engine/secret-search";
import { type FaultedStack, GIVEN_SECRETS, UP } from "./faulted-stack";
import { steps } from "./progress";
import type { RunbookStep } from "./runbook";

/**
 * Expects what an undisturbed `up` leaves: each object and each resource of the program once and no other, nothing
 * pending, nothing to do for the next run, no drift, and no secret in the open.
 */
export async function expectUndisturbed(stack: FaultedStack): Promise<void> {
  const { resources } = stack.surroundings.offline.recording;
  const live = await liveObjects(stack);
  expect(live.map(identity).sort()).toEqual(recordedObjects(resources).map(identity).sort());

  const state = await stack.state();
  expect(state.pending_operations ?? []).toEqual([]);
  const names = (state.resources ?? []).map(({ urn }) => typeAndName(urn)).filter((name) => !isDefaultProvider(name));
  expect(names.sort()).toEqual(resources.map(({ type, name }) => `${type}::${name}`).sort());

  const again = await stack.run([...UP, "--expect-no-changes"]);
  expect(again.output).toContain(`${resources.length} unchanged`);
  const refresh = await stack.run(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
  expect(refresh.output).toContain(`${resources.length} unchanged`);
  expect([again.status, refresh.status]).toEqual([0, 0]);

  await expectNoLeaks(stack, [...Object.values(GIVEN_SECRETS), ...(await stack.passwords())]);
}

/** Runs the runbook's last step and expects it to change the provider's setting back, and no more. */
export async function expectSettled(stack: FaultedStack, { args, variables }: RunbookStep): Promise<void> {
  const { output } = await stack.must(args, variables);
  expect(steps(output)).toEqual(["updated kubernetes cluster-kubernetes"]);
}

/** Expects these values in no file and no output, and in no object of ours but Secrets. */
export async function expectNoLeaks(stack: FaultedStack, secrets: readonly string[]): Promise<void> {
  expect(leaks(stack.written(), secrets)).toEqual([]);
  const holders = leaks(await liveTexts(stack), secrets);
  expect(holders.length).toBeGreaterThan(0);
  expect(holders.filter((name) => !name.startsWith("v1 Secret "))).toEqual([]);
}

/** Our objects as the API server has them, as texts, by identity. */
export async function liveTexts(stack: FaultedStack): Promise<Map<string, string>> {
  return new Map((await liveObjects(stack)).map((object) => [identity(object), JSON.stringify(object)]));
}

/** The objects of the program's kinds that our provider made or changed, whatever their names. */
async function liveObjects({ surroundings }: FaultedStack): Promise<KubernetesObject[]> {
  const recorded = recordedObjects(surroundings.offline.recording.resources);
  const kinds = new Map(recorded.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }]));
  const lists = await Promise.all(
    [...kinds.values()].map(({ apiVersion, kind }) => surroundings.plane.client.list(apiVersion, kind)),
  );
  return lists.flat().filter(isOwned);
}

function identity({ apiVersion, kind, metadata }: KubernetesObject): string {
  return `${apiVersion} ${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}

/** `<type>::<name>` of `urn:pulumi:<stack>::<project>::<parents' types>$<type>::<name>`. */
function typeAndName(urn: string): string {
  const [, , types = "", name = ""] = urn.split("::");
  return `${types.slice(types.lastIndexOf("$") + 1)}::${name}`;
}

/** The engine's own: the program registers no provider of the packages that need no settings. */
function isDefaultProvider(typeAndName: string): boolean {
  return /^pulumi:providers:\w+::default/.test(typeAndName);
}
