import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Certificates of one private authority, for localhost. */
export interface PrivateAuthority {
  readonly caFile: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

export function privateAuthority(folder: string): PrivateAuthority {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  openssl("req", "-x509", ...newKey, "-subj", "/CN=office", "-keyout", at("ca.key"), "-out", at("ca.pem"));
  const signed = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-addext", "subjectAltName=DNS:localhost"];
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-subj",
    "/CN=localhost",
    ...signed,
    "-keyout",
    at("tls.key"),
    "-out",
    at("tls.pem"),
  );
  return { caFile: at("ca.pem"), key: readFileSync(at("tls.key")), cert: readFileSync(at("tls.pem")) };
}

export interface RemoteReceiver {
  readonly port: number;
  /** Bodies by path, in order. */
  readonly arrived: { readonly path: string; readonly body: string }[];
  readonly close: () => void;
}

/** A receiver that speaks TLS alone. */
export async function tlsReceiver({ key, cert }: PrivateAuthority): Promise<RemoteReceiver> {
  const arrived: RemoteReceiver["arrived"] = [];
  const server = createTlsServer({ key, cert }, async (request, response) => {
    arrived.push({ path: request.url ?? "", body: await bodyOf(request) });
    response.writeHead(200).end("ok");
  });
  return { port: await listen(server), arrived, close: () => server.close() };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) {
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString();
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
