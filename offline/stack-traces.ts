/** Set to anything: an offline run keeps the stack traces of its errors, and takes half as long again. */
const KEPT = "INFERENCE_STACKS_TRACES";

/**
 * Has V8 take no stack traces: the Pulumi SDK takes one for each promise and resource, thousands per program, and never
 * prints them.
 *
 * @returns what turns them on again.
 */
export function stopStackTraces(): () => void {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  if (process.env[KEPT] || before === undefined) {
    return () => {};
  }
  // The SDK raises the limit for some. V8 takes no trace at all where it is no plain property.
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true });
  return () => {
    Object.defineProperty(Error, "stackTraceLimit", before);
  };
}

/** States in an error without a trace how to get one. */
export function explainMissingTrace(error: unknown): void {
  if (error instanceof Error) {
    error.stack ??= `${error}\n    (set ${KEPT}=1 for a stack trace)`;
  }
}
