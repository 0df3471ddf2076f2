/** Answers of servers that are kept in memory. */
import { FinalError } from "./retry.ts";

/**
 * @param what was asked for, for messages.
 * @param most bytes.
 * @throws FinalError for a longer answer, or one without end.
 */
export async function wholeBody({ body }: Response, what: string, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) {
      throw new FinalError(`${what}: more than ${most} bytes came`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
