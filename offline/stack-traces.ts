/** Set to anything: an offline run keeps the stack traces of its errors, and takes half as long again. */
const KEPT = "INFERENCE_STACKS_TRACES";

/**
 * Runs a program while V8 takes no stack traces: the Pulumi SDK takes one for each promise and resource, thousands per
 * program, which nobody reads here and which cost a third of its time. What the program throws says how to get its trace.
 */
export async function withoutStackTraces<T>(run: () => Promise<T>): Promise<T> {
  if (process.env[KEPT]) {
    return run();
  }
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  // The SDK raises the limit for some. V8 takes no trace at all where it is no plain property.
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true });
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) {
      error.stack ??= `${error}\n    (set ${KEPT}=1 for a stack trace)`;
    }
    throw error;
  } finally {
    if (before) {
      Object.defineProperty(Error, "stackTraceLimit", before);
    }
  }
}
