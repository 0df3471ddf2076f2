import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { connect } from "node:tls";
import { basicAuthorization } from "./basic-authorization";

/** Variables of the environment that name proxies; curl, Go and pip read the same. */
type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy of HTTPS_PROXY or HTTP_PROXY for an address; none for this machine's own, and for those of NO_PROXY. */
export function proxyOf({ protocol, hostname, port }: URL, env: Variables): URL | undefined {
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name] || env[name.toLowerCase()];
  const isLocal = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  const exceptions = (env.NO_PROXY || env.no_proxy || "").split(",").map((entry) => entry.trim());
  if (!proxy || isLocal || exceptions.some((entry) => matches(entry, hostname, port))) {
    return undefined;
  }
  const url = new URL(proxy.includes("://") ? proxy : `http://${proxy}`);
  if (!["http:", "https:"].includes(url.protocol)) {
    throw new Error(`${name} names a proxy of ${url.protocol}//, and only http:// and https:// are spoken here`);
  }
  return url;
}

/** "*", a name with those below it (with or without a dot in front), and a port where only that is meant. */
function matches(entry: string, hostname: string, port: string): boolean {
  const [, name = "", only] = /^\*?\.?([^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  if (entry === "" || (only !== undefined && only !== port)) {
    return false;
  }
  return entry === "*" || (name !== "" && (hostname === name || hostname.endsWith(`.${name}`)));
}

/**
 * Asks for an address through a proxy: by CONNECT for HTTPS, so that the proxy sees nothing of it.
 *
 * @throws Error with what the proxy answers.
 */
export async function viaProxy(
  proxy: URL,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  if (url.protocol === "http:") {
    const options = {
      ...endpoint(proxy),
      path: url.href,
      headers: { ...headers, host: url.host, ...authorization(proxy) },
      signal,
    };
    return responseOf(speaker(proxy).request(options));
  }
  const socket = await tunnel(proxy, url, signal);
  const createConnection = () => connect({ socket, servername: url.hostname });
  return responseOf(https.request(url, { headers, signal, createConnection }));
}

function tunnel(proxy: URL, { hostname, port }: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${hostname}:${port || 443}`;
  const options = { ...endpoint(proxy), method: "CONNECT", path: target, signal };
  return new Promise((resolve, reject) => {
    const request = speaker(proxy).request({ ...options, headers: { host: target, ...authorization(proxy) } });
    request.once("connect", ({ statusCode }: IncomingMessage, socket: Socket) => {
      if (statusCode === 200) {
        resolve(socket);
      } else {
        socket.destroy();
        reject(new Error(`the proxy ${proxy.host} answers ${statusCode} for ${target}`));
      }
    });
    request.once("error", (error) => reject(new Error(`the proxy ${proxy.host}: ${error.message}`)));
    request.end();
  });
}

function responseOf(request: ClientRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    request.once("error", reject);
    request.once("response", (message: IncomingMessage) => {
      const headers = Object.entries(message.headers).map(([name, value]): [string, string] => [name, String(value)]);
      resolve(new Response(Readable.toWeb(message) as ReadableStream, { status: message.statusCode, headers }));
    });
    request.end();
  });
}

function speaker({ protocol }: URL): typeof http | typeof https {
  return protocol === "https:" ? https : http;
}

function endpoint({ protocol, hostname, port }: URL): { readonly host: string; readonly port: number } {
  return { host: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) };
}

function authorization(proxy: URL): Readonly<Record<string, string>> {
  const value = basicAuthorization(proxy);
  return value === undefined ? {} : { "proxy-authorization": value };
}
