import type { Source } from "./save";

/** Download limits. */
export interface Bounds {
  readonly bytes: number;
  /** For the whole. */
  readonly seconds: number;
}

/**
 * Source that fails beyond a size or time limit, as servers may send endlessly.
 *
 * @param what for messages.
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

/** Whole content of a small, bounded source. */
export async function contentOf(source: Source): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source(0)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
