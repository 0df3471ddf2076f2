import type * as automation from "@pulumi/pulumi/automation";

export interface Operation {
  /** What happened to each resource that did not stay as it was: `<operation> <Kind> <name>`, sorted. */
  readonly steps: readonly string[];
  /** The same as they began. */
  readonly inOrder: readonly string[];
  /** Number of resources by operation, as the engine sums them up. */
  readonly changes: automation.OpMap;
}

/** Steps that are part of another one, and those that only look. */
const SILENT = ["same", "read", "refresh", "create-replacement", "delete-replaced"];

/** Runs an operation of the engine and collects its steps. An error carries the engine's own messages. */
export async function operation(
  run: (onEvent: (event: automation.EngineEvent) => void) => Promise<unknown>,
): Promise<Operation> {
  const steps: string[] = [];
  let changes: automation.OpMap = {};
  await run((event) => {
    const metadata = event.resourcePreEvent?.metadata;
    if (metadata !== undefined && !SILENT.includes(metadata.op)) {
      const kind = metadata.type.slice(metadata.type.lastIndexOf(":") + 1);
      steps.push(`${metadata.op} ${kind} ${metadata.urn.slice(metadata.urn.lastIndexOf("::") + 2)}`);
    }
    changes = event.summaryEvent?.resourceChanges ?? changes;
  });
  return { steps: steps.toSorted(), inOrder: steps, changes };
}
