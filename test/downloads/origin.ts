/** A web server of a test, on this machine. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Origin {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Answers by path; without one it is 404. */
  readonly routes: Map<string, RequestListener>;
  /** `GET <path>`, with the range that was asked for. */
  readonly asked: string[];
}

/** Starts one; it ends with the test. */
export async function startOrigin(routes: Readonly<Record<string, RequestListener>> = {}): Promise<Origin> {
  const origin = { url: "", routes: new Map(Object.entries(routes)), asked: [] as string[] };
  const server = createServer((request, response) => {
    const { range } = request.headers;
    origin.asked.push(`${request.method} ${request.url}${range ? ` ${range}` : ""}`);
    const answer = origin.routes.get(request.url ?? "");
    if (answer === undefined) {
      response.writeHead(404).end("nothing");
    } else {
      answer(request, response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return origin;
}

/** A file, whole or from a byte on. */
export function file(content: string | Buffer): RequestListener {
  const bytes = Buffer.from(content);
  return ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": bytes.length - from }).end(bytes.subarray(from));
  };
}

/** Some answers in this order; the last one stays. */
export function inTurn(...answers: readonly RequestListener[]): RequestListener {
  let next = 0;
  return (request, response) => {
    const answer = answers[Math.min(next, answers.length - 1)];
    next += 1;
    answer?.(request, response);
  };
}

/** The beginning of a file, and then the connection ends. */
export function cutOff(content: string | Buffer, after: number): RequestListener {
  const bytes = Buffer.from(content);
  return (_, response) => {
    response.writeHead(200, { "content-length": bytes.length });
    response.write(bytes.subarray(0, after), () => response.destroy());
  };
}

export function redirect(location: string, status = 302): RequestListener {
  return (_, response) => {
    response.writeHead(status, { location }).end();
  };
}

/** An address where nothing listens. */
export async function nowhere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
