import { connect } from "node:net";

/**
 * Sends bytes as they are, and reads until the other side closes, has given an answer that it calls its last (RFC 9112, 9.6), or
 * has said nothing for a while. Envoy leaves a connection open for a second after such an answer, for its client to read it.
 *
 * @param quietMs silence that counts as the end.
 */
export function raw(port: number, bytes: string | Buffer, quietMs = 1000, host = "127.0.0.1"): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let text = "";
    const end = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(quietMs, end);
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (isLast(text)) {
        end();
      }
    });
    socket.on("end", end);
    // A refusal may be a reset, with what was said before it.
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? reject(error) : end()));
  });
}

/** Whether this begins with an answer that is whole by its length, after which the connection closes. */
function isLast(text: string): boolean {
  const length = text.indexOf("\r\n\r\n");
  const answered = text.slice(0, length + 2);
  const [, bytes] = /\r\ncontent-length: (\d+)\r\n/i.exec(answered) ?? [];
  const closes = /\r\nconnection: close\r\n/i.test(answered);
  return length >= 0 && closes && bytes !== undefined && text.length >= length + 4 + Number(bytes);
}

/** A request's head, with lines as HTTP/1.1 has them. */
export function head(...lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Status of an answer; undefined where there was none. */
export function statusOf(answer: string): number | undefined {
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
  return status === undefined ? undefined : Number(status);
}
