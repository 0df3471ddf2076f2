/** Downloads that go on where a connection broke. */
import { FinalError } from "./retry.ts";

/** Failures in a row, without a byte in between, after which a download is given up. */
const MOST_FAILURES = 5;

interface Download {
  /** Repository that the file is in, for messages. */
  readonly repository: string;
  readonly path: string;
  /** Bytes that the file has. */
  readonly size: number;
  /** Bytes that are there already. */
  readonly fromByte: number;
}

/**
 * The rest of a file.
 *
 * @param get asks for the bytes from one on.
 * @throws FinalError for more bytes than the file has. Error after several failures without a byte.
 */
export async function* resumed(
  { repository, path, size, fromByte }: Download,
  get: (fromByte: number) => Promise<Response>,
): AsyncGenerator<Uint8Array> {
  let received = fromByte;
  for (let failures = 0; received < size; ) {
    const before = received;
    try {
      const response = await get(received);
      if (received > 0 && response.status !== 206) {
        await response.body?.cancel();
        throw new Error(`${repository}, ${path}: the server ignored the range, cannot resume at byte ${received}`);
      }
      for await (const chunk of response.body ?? []) {
        received += chunk.byteLength;
        if (received > size) {
          throw new FinalError(`${repository}, ${path}: more than its ${size} bytes came`);
        }
        yield chunk;
      }
      if (received < size) {
        throw new Error(`the connection ended after ${received} of ${size} bytes`);
      }
    } catch (error) {
      failures = received > before ? 1 : failures + 1;
      if (error instanceof FinalError || failures >= MOST_FAILURES) {
        throw error;
      }
      console.error(`${path}: resuming at byte ${received}: ${error}`);
    }
  }
}
