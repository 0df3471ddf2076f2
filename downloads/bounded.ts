import type { Source } from "./save";

/** As much as may come. */
export interface Bounds {
  readonly bytes: number;
  /** For the whole. */
  readonly seconds: number;
}

/**
 * A source that ends in an error where more comes than may, or where it takes longer: a server may send without end, a byte at a time.
 *
 * @param what names it in messages.
 */
export function bounded(what: string, source: Source, { bytes, seconds }: Bounds): Source {
  return async function* (fromByte) {
    const end = Date.now() + seconds * 1000;
    let came = fromByte;
    for await (const chunk of source(fromByte)) {
      came += chunk.byteLength;
      if (came > bytes) {
        throw new Error(`${what}: more than ${bytes} bytes came, and no more are taken`);
      }
      if (Date.now() > end) {
        throw new Error(`${what}: not there after ${seconds} s`);
      }
      yield chunk;
    }
  };
}

/** All that a source gives, in memory: for what is bounded, and small. */
export async function contentOf(source: Source): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source(0)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
