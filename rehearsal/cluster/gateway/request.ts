import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import type { GatewayProxy } from "./proxy";

export interface GatewayRequest {
  readonly path: string;
  /** @default "GET", "POST" with a body */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent verbatim. */
  readonly body?: string | Buffer;
  /** Consumer whose API key is sent. @default none */
  readonly consumer?: string;
  /** @default the first proxy */
  readonly proxy?: GatewayProxy;
  /** Other hostname of the Gateway. */
  readonly hostname?: string;
}

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** TLS options for `https.request` and `http2.connect`. */
export function connectionOptions(
  { address, httpsPort }: GatewayProxy,
  { hostname, ca }: { readonly hostname: string; readonly ca: string },
): { readonly host: string; readonly port: number; readonly servername: string; readonly ca: string } {
  return { host: address, port: httpsPort, servername: hostname, ca };
}

/** Sends a request on a new connection. */
export async function sendRequest(
  asked: GatewayRequest & { readonly proxy: GatewayProxy },
  target: { readonly hostname: string; readonly ca: string; readonly key: string | undefined },
): Promise<GatewayAnswer> {
  const { json, body = json === undefined ? undefined : JSON.stringify(json) } = asked;
  const hostname = asked.hostname ?? target.hostname;
  const headers = {
    host: hostname,
    ...(json !== undefined && { "content-type": "application/json" }),
    ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
    ...(target.key !== undefined && { authorization: `Bearer ${target.key}` }),
    ...asked.headers,
  };
  const method = asked.method ?? (body === undefined ? "GET" : "POST");
  const connection = connectionOptions(asked.proxy, { hostname, ca: target.ca });
  return new Promise((resolve, reject) => {
    const sent = request({ ...connection, path: asked.path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    sent.once("error", reject);
    sent.end(body);
  });
}
