/** Functions of the Pulumi SDK that write down where each promise and resource came from, for debuggers and the engine. */
const BOOKKEEPERS: ReadonlySet<string | null> = new Set(["debuggablePromise", "callsites"]);

/**
 * Runs a program without the text of the stacks that the SDK takes for its own books: thousands per program, which cost
 * more than all the rest, and nobody reads them here. Every other error keeps its stack.
 */
export async function withoutSdkStacks<T>(run: () => Promise<T>): Promise<T> {
  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, frames) => {
    if (BOOKKEEPERS.has(frames[0]?.getFunctionName() ?? null)) {
      return "";
    }
    // Without a function of one's own, V8 writes the error and its frames, one a line.
    return before ? before(error, frames) : [String(error), ...frames].join("\n    at ");
  };
  try {
    return await run();
  } finally {
    Error.prepareStackTrace = before;
  }
}
