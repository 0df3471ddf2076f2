/**
 * Data of server-sent events with one line each; skips comments and other fields. Source: HTML
 * Living Standard, 9.2.6 "Interpreting an event stream", read 2026-11-24.
 */
export async function* dataOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) {
    const [, data] = /^data: ?(.*)$/s.exec(line) ?? [];
    if (data !== undefined && data !== "") {
      yield data;
    }
  }
}
