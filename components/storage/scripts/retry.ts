/** A failure that another attempt cannot mend: wrong credentials, a file that does not exist, a bad checksum. */
export class FinalError extends Error {}

export interface RetryOptions {
  /** @default 6 */
  readonly attempts?: number;
  /** Wait before the second attempt; it doubles each time. @default 1000 */
  readonly firstDelayMs?: number;
}

/** Repeats `work` until it succeeds, throws a `FinalError`, or has failed `attempts` times. */
export async function withRetries<T>(what: string, work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const attempts = options.attempts ?? 6;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FinalError) {
        throw error;
      }
      if (attempt === attempts) {
        const reason = describe(error);
        throw new Error(reason.includes(what) ? reason : `${what}: ${reason}`);
      }
      console.error(`${what}: attempt ${attempt} of ${attempts} failed: ${describe(error)}`);
      await new Promise((resolve) => setTimeout(resolve, (options.firstDelayMs ?? 1000) * 2 ** (attempt - 1)));
    }
  }
}

/** Runs `work` on every item, `limit` at a time; the first failure stops new ones from starting and is thrown. */
export async function eachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && !failed; item = queue.shift()) {
      try {
        await work(item);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}

/** One line about an error, with the cause that Node's fetch hides behind "fetch failed". */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** Ends the process with status 1 and the error's message: a Job's log must show the reason, not a stack trace. */
export function runMain(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(`failed: ${describe(error)}`);
    // Not only the exit code: an answer that was not read to its end would keep the process waiting.
    process.exit(1);
  });
}

/** The value of an environment variable. @throws FinalError when it is missing or empty. */
export function environmentVariable(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new FinalError(`the environment variable ${name} is not set`);
  }
  return value;
}
