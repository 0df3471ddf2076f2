import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

interface Debugging {
  debuggablePromise<T>(promise: Promise<T>, context?: string): Promise<T>;
}

/** Loads the modules that the SDK itself has loaded, whichever copies of them are installed besides. */
export const requireAsSdk = createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));

/**
 * Has the SDK take no stack trace of each promise and each resource for the rest of the process: thousands per program, and the text of
 * them was a third of its time. Those of promises are for its own debugging; those of resources go to the engine and into the state, as
 * positions in a bundle. Promises that never settle still fail the program, and errors keep their traces.
 *
 * Does nothing where `PULUMI_DEBUG_PROMISE_LEAKS` asks for them.
 *
 * @returns what undoes that.
 */
export function takeNoSdkTraces(variables: Readonly<Record<string, string | undefined>>): () => void {
  if (variables.PULUMI_DEBUG_PROMISE_LEAKS) {
    return () => {};
  }
  const debugging: Debugging = requireAsSdk("@pulumi/pulumi/runtime/debuggable.js");
  const recorded = debugging.debuggablePromise;
  debugging.debuggablePromise = (promise, context) => withoutTrace(() => recorded(promise, context));
  const positions = pulumi.Resource as unknown as { callsites(): readonly object[] };
  const { callsites } = positions;
  positions.callsites = () => [];
  return () => {
    debugging.debuggablePromise = recorded;
    positions.callsites = callsites;
  };
}

/** Errors that are made meanwhile have no frames. */
function withoutTrace<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}
