/** Longest accepted line, in bytes. Ollama's are about 200. */
const LONGEST_LINE = 64 * 1024;

/**
 * Splits a byte stream into lines. Buffers one line, so an endless one cannot fill memory.
 *
 * @throws Error with the start of a line over 64 KiB, and errors of the stream.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let begun: Uint8Array[] = [];
  let length = 0;
  const line = (): string => {
    const text = Buffer.concat(begun).toString("utf8").trim();
    begun = [];
    length = 0;
    return text;
  };
  for await (const chunk of stream) {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(NEW_LINE, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      length += part.length;
      if (length > LONGEST_LINE) {
        const beginning = Buffer.concat([...begun, part]).toString("utf8", 0, 300);
        throw new Error(`a line is longer than ${LONGEST_LINE} bytes; it begins with ${beginning}`);
      }
      begun.push(part);
      if (end === -1) {
        break;
      }
      yield line();
      from = end + 1;
    }
  }
  if (length > 0) {
    yield line();
  }
}

const NEW_LINE = 0x0a;
