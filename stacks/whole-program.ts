import * as pulumi from "@pulumi/pulumi";

/** The program ended early: something it waits for never happens. The message says it all. */
export class UnfinishedProgramError extends pulumi.RunError {
  constructor() {
    super(
      "the program ended before it had declared all resources: it waits for something that this run never finds out. Nothing was deleted; run again once the errors above are fixed",
    );
  }
}

/** Part of `process` that reports its end. */
export interface Ending {
  once(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  off(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  exitCode?: number | string | null | undefined;
}

/**
 * Fails an unfinished program. Node exits with 0 when nothing is left to wait for, even with
 * pending promises, and the engine takes 0 for "everything is declared": it deletes the rest.
 *
 * `exit` is too late: at `beforeExit` the SDK reports the program as done to the engine, unless it
 * has failed, and waits until the engine has deleted the rest (@pulumi/pulumi 3.248,
 * cmd/run/index.ts; engine 3.259, `SignalAndWaitForShutdown`).
 */
export async function whole<T>(program: () => Promise<T>, ending: Ending = process): Promise<T> {
  let fail: () => void = () => undefined;
  const starved = new Promise<never>((_, reject) => {
    fail = () => reject(new UnfinishedProgramError());
  });
  const atExit = (code: number) => {
    if (code === 0) {
      console.error(new UnfinishedProgramError().message);
      ending.exitCode = 1;
    }
  };
  ending.once("beforeExit", fail);
  // Explicit exits skip `beforeExit`.
  ending.once("exit", atExit);
  try {
    return await Promise.race([program(), starved]);
  } finally {
    ending.off("beforeExit", fail);
    ending.off("exit", atExit);
  }
}
