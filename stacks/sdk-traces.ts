import { createRequire } from "node:module";
import * as pulumi from "@pulumi/pulumi";

interface Debugging {
  debuggablePromise<T>(promise: Promise<T>, context?: string): Promise<T>;
}

/** Loads the SDK's own copies of modules, whichever others are installed. */
export const requireAsSdk = createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));

/**
 * Disables the SDK's stack traces of promises and resources: thousands per program took a third of
 * its time. Promises' traces are for its own debugging; resources' go into the state, as positions
 * in a bundle. Unsettled promises still fail the program, and errors keep their traces.
 *
 * No effect with `PULUMI_DEBUG_PROMISE_LEAKS`.
 *
 * @returns a function that restores them.
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

/** Errors created meanwhile have no frames. */
function withoutTrace<T>(work: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = before;
  }
}
