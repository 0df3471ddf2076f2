import type * as automation from "@pulumi/pulumi/automation";

/** One step of the engine that is not "same". */
export interface Step {
  readonly operation: string;
  readonly type: string;
  readonly name: string;
  /** Properties that differ. */
  readonly properties: readonly string[];
}

export interface Operation {
  readonly steps: readonly Step[];
  /** Number of resources by operation, as the engine sums them up. */
  readonly changes: automation.OpMap;
  readonly seconds: number;
}

/** Runs an operation of the engine and collects its steps. An error carries the engine's own messages. */
export async function operation(
  run: (onEvent: (event: automation.EngineEvent) => void) => Promise<unknown>,
): Promise<Operation> {
  const since = Date.now();
  const steps: Step[] = [];
  let changes: automation.OpMap = {};
  await run((event) => {
    const metadata = event.resourcePreEvent?.metadata;
    if (metadata !== undefined && metadata.op !== "same") {
      steps.push({
        operation: metadata.op,
        type: metadata.type,
        name: metadata.urn.split("::").at(-1) ?? "",
        properties: metadata.diffs ?? [],
      });
    }
    changes = event.summaryEvent?.resourceChanges ?? changes;
  });
  return { steps, changes, seconds: (Date.now() - since) / 1000 };
}
