/** Connections by way of an HTTP proxy that tunnels (CONNECT; RFC 9110, 9.3.6). */
import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect } from "node:tls";
import { FinalError } from "./retry.ts";
import type { Connect } from "./trusted-request.ts";

/** Longest wait for a tunnel: a proxy that sends its answer in pieces must end, too. */
const TUNNEL_MS = 60_000;

/**
 * Connections through a proxy. Certificates are checked for the URL's server.
 *
 * @throws FinalError when the proxy forbids the server. Error when the proxy, or its way to the server, is down.
 */
export function throughProxy(proxy: URL, withinMs = TUNNEL_MS): Connect {
  return async (url, ca) => {
    const socket = await tunnel(proxy, url, withinMs);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    return url.protocol === "https:"
      ? connect({
          socket,
          host,
          ...(isIP(host) === 0 && { servername: host }),
          ...(ca !== undefined && { ca: [ca].flat() }),
        })
      : socket;
  };
}

function tunnel(proxy: URL, { hostname, port, protocol }: URL, withinMs: number): Promise<Socket> {
  const path = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
  const send = proxy.protocol === "https:" ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const asked = send(proxy, { method: "CONNECT", path, headers: { host: path }, agent: false });
    const late = new Error(`no tunnel to ${path} in ${withinMs / 1000} seconds`);
    const deadline = setTimeout(() => asked.destroy(late), withinMs);
    asked.on("close", () => clearTimeout(deadline));
    asked.on("connect", ({ statusCode = 0 }, socket) => {
      clearTimeout(deadline);
      if (statusCode >= 200 && statusCode < 300) {
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      const message = `the proxy ${proxy.origin} answers ${statusCode} when asked for ${path}`;
      reject(
        statusCode >= 500 || statusCode === 429
          ? new Error(message)
          : new FinalError(`${message}: ${fixOf(statusCode)}`),
      );
    });
    asked.on("error", (error) => reject(new Error(`the proxy ${proxy.origin}: ${error.message}`)));
    asked.end();
  });
}

function fixOf(status: number): string {
  return status === 407
    ? "Jobs have no login for proxies: let the cluster's addresses through without one"
    : "allow it there, or name its private networks in storage.buckets or storage.registries";
}
