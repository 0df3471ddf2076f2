import * as pulumi from "@pulumi/pulumi";

/** The program came to its end before it was done: what it waits for never happens. A message is all that there is to say of it. */
export class UnfinishedProgramError extends pulumi.RunError {
  constructor() {
    super(
      "the program ended before it had declared all resources: it waits for something that this run never finds out. Nothing was deleted; run again once the errors above are mended",
    );
  }
}

/** As much of `process` as tells when it ends. */
export interface Ending {
  once(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  off(event: "beforeExit" | "exit", listener: (code: number) => void): unknown;
  exitCode?: number | string | null | undefined;
}

/**
 * Has a program that is not done fail. Node ends with 0 where nothing is left to wait for, whatever still awaits a promise, and the engine
 * takes 0 for "everything is declared": it deletes what was not.
 *
 * At `exit` it is too late for that: at `beforeExit` the SDK tells the engine that the program is done, unless it has failed, and waits until
 * the engine has deleted the rest (@pulumi/pulumi 3.248, cmd/run/index.ts; engine 3.259, `SignalAndWaitForShutdown`).
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
  // What ends the process by itself comes past the other one.
  ending.once("exit", atExit);
  try {
    return await Promise.race([program(), starved]);
  } finally {
    ending.off("beforeExit", fail);
    ending.off("exit", atExit);
  }
}
