import type { IncomingMessage } from "node:http";

/** Slower bodies hold memory of others. */
export interface ArrivalRate {
  /** Milliseconds that any body may take. */
  readonly graceMs: number;
  /** Bytes for each further second. */
  readonly bytesPerSecond: number;
}

/** A body came slower than it must. */
export class SlowBody extends Error {}

/**
 * Does not destroy an abandoned body.
 * @throws SlowBody
 */
export async function* arriving(
  from: IncomingMessage,
  { graceMs, bytesPerSecond }: ArrivalRate,
): AsyncGenerator<Buffer> {
  const pieces = piecesOf(from);
  const begun = performance.now();
  let bytes = 0;
  try {
    for (;;) {
      const due = begun + graceMs + (bytes / bytesPerSecond) * 1000;
      const { done, value } = await before(due, pieces.next());
      if (done) {
        return;
      }
      bytes += value.length;
      yield value;
    }
  } finally {
    // Not awaited: the next piece may never come.
    pieces.return?.().catch(() => undefined);
  }
}

/** The same at any speed. */
export function piecesOf(from: IncomingMessage): AsyncIterableIterator<Buffer> {
  return from.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
}

async function before<T>(due: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SlowBody()), due - performance.now());
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
