/** If set, offline runs keep stack traces, and take 50% longer. */
const KEPT = "INFERENCE_STACKS_TRACES";

/**
 * Disables V8's stack traces: the Pulumi SDK takes thousands per program without printing them.
 *
 * @returns function that restores them.
 */
export function stopStackTraces(): () => void {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
  if (process.env[KEPT] || before === undefined) {
    return () => {};
  }
  // The SDK raises the limit. V8 takes no trace if it is an accessor.
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true });
  return () => {
    Object.defineProperty(Error, "stackTraceLimit", before);
  };
}

export function explainMissingTrace(error: unknown): void {
  if (error instanceof Error) {
    error.stack ??= `${error}\n    (set ${KEPT}=1 for a stack trace)`;
  }
}
