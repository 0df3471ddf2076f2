/** A failure that another attempt cannot fix: wrong credentials, a file that does not exist, a bad checksum. */
export class FinalError extends Error {}

/** A failure that is over after a time that the server named. */
export class RetryLater extends Error {
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message);
    this.seconds = seconds;
  }
}

/** Longest wait that a server may ask for: windows of the Hugging Face Hub are five minutes long. */
const LONGEST_WAIT_SECONDS = 900;

/**
 * Seconds after which a server wants to be asked again: its `Retry-After`, a number or a date (RFC 9110), or the rest of the window
 * in its `RateLimit`, such as `"resolvers";r=0;t=246` (draft-ietf-httpapi-ratelimit-headers, which the Hugging Face Hub sends).
 *
 * @returns 0 where it says nothing.
 */
export function secondsToWait(headers: Headers, now = Date.now()): number {
  const after = headers.get("retry-after")?.trim() ?? "";
  const window = /(?:^|;)\s*t=(\d{1,6})\b/.exec(headers.get("ratelimit") ?? "")?.[1];
  const told = /^\d{1,6}$/.test(after) ? Number(after) : (Date.parse(after) - now) / 1000;
  const seconds = Number.isFinite(told) ? told : Number(window ?? 0);
  return Math.min(LONGEST_WAIT_SECONDS, Math.max(0, seconds));
}

export interface RetryOptions {
  /** @default 6 */
  readonly attempts?: number;
  /** Wait before the second attempt; it doubles each time. @default 1000 */
  readonly firstDelayMs?: number;
}

/** Repeats `work` until it succeeds, throws a `FinalError`, or has failed `attempts` times; after a `RetryLater` when it is time. */
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
      const own = (options.firstDelayMs ?? 1000) * 2 ** (attempt - 1);
      const asked = error instanceof RetryLater ? error.seconds * 1000 : 0;
      await new Promise((resolve) => setTimeout(resolve, Math.max(own, asked)));
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
