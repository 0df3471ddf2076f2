/** Set to anything: an offline run keeps the stack traces of its errors, and takes half as long again. */
const KEPT = "INFERENCE_STACKS_TRACES";

/**
 * Runs a program while V8 takes no stack traces: the Pulumi SDK takes one for each promise and resource, thousands per
 * program. They are never printed, and cost a third of its time. An error of the program states how to get its trace.
 * Runs may overlap: traces come back when the last one has ended.
 */
export async function withoutStackTraces<T>(run: () => Promise<T>): Promise<T> {
  if (process.env[KEPT]) {
    return run();
  }
  switchOff();
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) {
      error.stack ??= `${error}\n    (set ${KEPT}=1 for a stack trace)`;
    }
    throw error;
  } finally {
    switchOn();
  }
}

let running = 0;
let before: PropertyDescriptor | undefined;

function switchOff(): void {
  running += 1;
  if (running === 1) {
    before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    // The SDK raises the limit for some. V8 takes no trace at all where it is no plain property.
    Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true });
  }
}

function switchOn(): void {
  running -= 1;
  if (running === 0 && before) {
    Object.defineProperty(Error, "stackTraceLimit", before);
  }
}
