/**
 * The data of server-sent events, each of one line, as engines send them; comments and other fields are left out.
 * Source: HTML Living Standard, 9.2.6 "Interpreting an event stream", read 2026-11-24.
 */
export async function* dataOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    const [, data] = /^data: ?(.*)$/s.exec(line) ?? [];
    if (data !== undefined && data !== "") {
      yield data;
    }
  }
}
