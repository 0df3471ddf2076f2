import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type Socket } from "node:net";
import { Readable } from "node:stream";
import { connect } from "node:tls";
import { basicAuthorization } from "./basic-authorization";
import { hostOf } from "./proxy-variables";

/** Inactivity timeout in seconds, as in fetch. */
const SILENCE_SECONDS = 300;

/** Statuses for which Response accepts no body. */
const WITHOUT_CONTENT = [204, 205, 304];

export interface ProxiedOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Inactivity timeout in seconds. @default 300 */
  readonly silenceSeconds?: number;
}

/**
 * Requests a URL through a proxy; HTTPS is tunnelled with CONNECT. Does not follow redirects.
 *
 * @throws Error with the proxy's answer.
 */
export async function viaProxy(proxy: URL, url: URL, options: ProxiedOptions): Promise<Response> {
  const { headers, signal, silenceSeconds } = options;
  if (url.protocol === "http:") {
    const request = speaker(proxy).request({
      ...endpoint(proxy),
      path: url.href,
      headers: { ...headers, host: url.host, ...authorization(proxy) },
      signal,
    });
    return responseOf(limited(request, silenceSeconds), url);
  }
  const socket = await tunnel(proxy, url, options);
  const host = hostOf(url);
  // SNI allows no IP addresses; their certificates are still verified.
  const createConnection = () => connect({ socket, host, ...(!isIP(host) && { servername: host }) });
  return responseOf(limited(https.request(url, { headers, signal, createConnection }), silenceSeconds), url);
}

function tunnel(proxy: URL, { hostname, port }: URL, { signal, silenceSeconds }: ProxiedOptions): Promise<Socket> {
  const target = `${hostname}:${port || 443}`;
  const headers = { host: target, ...authorization(proxy) };
  const request = speaker(proxy).request({ ...endpoint(proxy), method: "CONNECT", path: target, headers, signal });
  return new Promise((resolve, reject) => {
    request.once("connect", ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) {
        resolve(socket);
      } else {
        socket.destroy();
        reject(new Error(`the proxy ${proxy.host} answers ${statusCode} for ${target}`));
      }
    });
    request.on("error", (error) => reject(new Error(`the proxy ${proxy.host}: ${error.message}`)));
    limited(request, silenceSeconds).end();
  });
}

/** Node's requests have no timeout. */
function limited(request: ClientRequest, silenceSeconds = SILENCE_SECONDS): ClientRequest {
  return request.setTimeout(silenceSeconds * 1000, () => {
    request.destroy(new Error(`nothing came for ${silenceSeconds} s`));
  });
}

function responseOf(request: ClientRequest, url: URL): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.once("response", (message: IncomingMessage) => {
      try {
        resolve(asResponse(message, url));
      } catch (error) {
        message.destroy();
        reject(error);
      }
    });
    request.end();
  });
}

/** @throws RangeError for an invalid HTTP status. */
function asResponse(message: IncomingMessage, { href }: URL): Response {
  const { statusCode: status = 0 } = message;
  const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const hasContent = !WITHOUT_CONTENT.includes(status);
  const response = new Response(hasContent ? (Readable.toWeb(message) as ReadableStream) : null, { status, headers });
  if (!hasContent) {
    message.resume();
  }
  return Object.defineProperty(response, "url", { value: href });
}

function speaker({ protocol }: URL): typeof http | typeof https {
  return protocol === "https:" ? https : http;
}

function endpoint(proxy: URL): { readonly host: string; readonly port: number } {
  return { host: hostOf(proxy), port: Number(proxy.port) || (proxy.protocol === "https:" ? 443 : 80) };
}

function authorization(proxy: URL): Readonly<Record<string, string>> {
  const value = basicAuthorization(proxy);
  return value === undefined ? {} : { "proxy-authorization": value };
}
