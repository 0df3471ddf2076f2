import type { Source } from "./save";

/** Seconds without a byte after which a download counts as broken. */
const SILENCE_SECONDS = 60;

/**
 * A file of a web server, asked for from a byte on.
 *
 * @throws Error with the status, when it is iterated.
 */
export function httpFile(url: string): Source {
  return async function* (fromByte) {
    const aborter = new AbortController();
    const silence = setTimeout(() => aborter.abort(), SILENCE_SECONDS * 1000);
    try {
      const headers = fromByte > 0 ? { range: `bytes=${fromByte}-` } : undefined;
      const response = await fetch(url, { signal: aborter.signal, ...(headers && { headers }) });
      if (fromByte > 0 && response.status !== 206) {
        throw new Error(`${url}: answers ${response.status} when asked to go on at byte ${fromByte}`);
      }
      if (!response.ok) {
        throw new Error(`${url}: answers ${response.status}`);
      }
      for await (const chunk of response.body ?? []) {
        silence.refresh();
        yield chunk;
      }
    } catch (error) {
      throw aborter.signal.aborted ? new Error(`${url}: nothing came for ${SILENCE_SECONDS} s`) : reached(url, error);
    } finally {
      clearTimeout(silence);
      aborter.abort();
    }
  };
}

/** Node's fetch says "fetch failed", and why only in its cause. */
function reached(url: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
  return cause === undefined && error instanceof Error ? error : new Error(`${url}: ${cause ?? String(error)}`);
}

/** The whole of a small text. @throws Error with the status. */
export async function httpText(url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of httpFile(url)(0)) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
