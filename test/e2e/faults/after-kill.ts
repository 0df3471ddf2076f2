import { rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentName } from "../../stacks/run";
import type { Run } from "../engine/pulumi";

/** A stack whose engine was killed. */
interface KilledStack {
  readonly surroundings: { readonly backend: string };
  run(args: readonly string[]): Promise<Run>;
}

/**
 * Runs the first command after a kill. The file backend writes the attributes beside a state in place, so an engine that dies in
 * that moment leaves them empty and every command fails; the runbook's step for it is to delete them.
 */
export async function runAfterKill(stack: KilledStack, name: EnvironmentName, args: readonly string[]): Promise<Run> {
  const run = await stack.run(args);
  if (!run.output.includes("failed to load checkpoint: EOF")) {
    return run;
  }
  rmSync(attributesOf(stack, name));
  return stack.run(args);
}

/** Leaves the attributes as a kill in the worst moment does. */
export function emptyAttributes(stack: KilledStack, name: EnvironmentName): void {
  truncateSync(attributesOf(stack, name));
}

function attributesOf({ surroundings }: KilledStack, name: EnvironmentName): string {
  return join(surroundings.backend, ".pulumi", "stacks", "inference-stacks", `${name}.json.attrs`);
}
