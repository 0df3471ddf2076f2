import { connect } from "node:net";

/**
 * Sends bytes as they are, and reads until the other side closes or has said nothing for a while.
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
    });
    socket.on("end", end);
    // A refusal may be a reset, with what was said before it.
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNREFUSED" ? reject(error) : end()));
  });
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
