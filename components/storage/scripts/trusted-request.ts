/** Requests that say which authorities a server's certificate may be signed by. */
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { rootCertificates } from "node:tls";
import { FinalError } from "./retry.ts";

/** Longest silence of a server: as of fetch. */
const SILENCE_MS = 300_000;
/** Statuses whose answers have no body (fetch standard). */
const WITHOUT_BODY = [204, 205, 304];

export interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

/** @throws FinalError for a certificate that is not trusted. Error without an answer. */
export type Send = (url: URL, request?: Request) => Promise<Response>;

/** Trusts what the process trusts: public authorities, and the file of NODE_EXTRA_CA_CERTS. */
export const sendByFetch: Send = (url, request) =>
  fetch(url, request).catch((error: unknown) => {
    throw distrustOf(error, url, "check the authority in NODE_EXTRA_CA_CERTS") ?? error;
  });

/** Makes connections; with TLS, trusted by these authorities (PEM), where the URL has it. */
export type Connect = (url: URL, ca?: string | readonly string[]) => Promise<Socket>;

/**
 * By Node's own client, because fetch takes no authorities for one server. Follows no redirects.
 *
 * @param host whose certificate these authorities alone may have signed, with its port where that is not 443. Servers that it
 * refers to may have public certificates too.
 * @param authorities PEM. @default what the process trusts
 * @param by how all of these servers are reached. @default directly
 */
export function sendTo(host: string, authorities?: string, by?: Connect, silenceMs = SILENCE_MS): Send {
  const all = authorities === undefined ? undefined : [...rootCertificates, authorities];
  return async (url, { method = "GET", headers = {}, body } = {}) => {
    const ca = url.host === host ? authorities : all;
    const socket = await by?.(url, ca);
    // A request only listens to the timeout of a connection that it did not make.
    socket?.setTimeout(silenceMs);
    return new Promise((resolve, reject) => {
      const send = url.protocol === "https:" ? tlsRequest : plainRequest;
      // Without an agent, which would make a connection of its own.
      const way = socket ? { createConnection: () => socket } : { ...(ca && { ca }) };
      const options = { method, headers: { ...headers }, timeout: silenceMs, ...way };
      const sent = send(url, options, (answer) => resolve(responseOf(method, answer)));
      sent.on("error", (error) => reject(distrustOf(error, url, `check caFile of ${host}`) ?? error));
      sent.on("timeout", () => sent.destroy(new Error(`${url.host} was silent for ${silenceMs / 1000} seconds`)));
      sent.end(body);
    });
  };
}

function responseOf(method: string, answer: IncomingMessage): Response {
  const { statusCode: status = 0, rawHeaders } = answer;
  const headers = new Headers();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  if (method === "HEAD" || WITHOUT_BODY.includes(status)) {
    answer.resume();
    return new Response(null, { status, headers });
  }
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, { status, headers });
}

/** Node's codes. The process has read its authorities once: no retry helps. */
const DISTRUST = [
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

function distrustOf(error: unknown, url: URL, fix: string): FinalError | undefined {
  const reason: unknown = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error && "code" in reason && DISTRUST.includes(String(reason.code))
    ? new FinalError(`${url.origin}: ${reason.message}; ${fix}`)
    : undefined;
}
