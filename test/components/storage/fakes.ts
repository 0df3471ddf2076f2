/** In-process stand-ins for the Hugging Face Hub and an S3 store: what the scripts say over the wire is real. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** Files from this size on carry a SHA-256, as large files of the Hub do. */
const LARGE = 1024;

export interface FakeHub {
  readonly url: string;
  readonly requests: string[];
  /** Bytes after which the next download breaks off. */
  breakAfter: number | undefined;
  close(): Promise<void>;
}

/** Serves one repository; with a token, only to those who send it. */
export async function fakeHub(files: Readonly<Record<string, Buffer>>, token?: string): Promise<FakeHub> {
  const listen = await serve((request, response) => answer(request, response));
  const hub: FakeHub = { ...listen, requests: [], breakAfter: undefined };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://hub");
    hub.requests.push(`${request.method} ${url.pathname}${request.headers.range ? ` ${request.headers.range}` : ""}`);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
    } else if (url.pathname.includes("/revision/")) {
      response.end(JSON.stringify({ sha: COMMIT }));
    } else if (url.pathname.includes("/tree/")) {
      tree(url, response);
    } else {
      file(url, request, response);
    }
  };
  // Two pages, to be followed by their Link header.
  const tree = (url: URL, response: ServerResponse): void => {
    const entries = Object.entries(files).map(([path, content]) =>
      content.length < LARGE
        ? { type: "file", path, size: content.length, oid: gitBlob(content) }
        : { type: "file", path, size: 135, oid: "pointer", lfs: { oid: sha256(content), size: content.length } },
    );
    const half = Math.ceil(entries.length / 2);
    const second = url.searchParams.has("cursor");
    if (!second) {
      response.setHeader("link", `<${hub.url}${url.pathname}?recursive=true&cursor=2>; rel="next"`);
    }
    response.end(JSON.stringify(second ? entries.slice(half) : entries.slice(0, half)));
  };
  const file = (url: URL, request: IncomingMessage, response: ServerResponse): void => {
    const content = files[decodeURIComponent(url.pathname.split(`/resolve/${COMMIT}/`)[1] ?? "")];
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { "content-length": content.length - from });
    const { breakAfter } = hub;
    if (breakAfter !== undefined && content.length > breakAfter) {
      hub.breakAfter = undefined;
      response.write(content.subarray(from, from + breakAfter), () => setTimeout(() => response.destroy(), 20));
      return;
    }
    response.end(content.subarray(from));
  };
  return hub;
}

export interface FakeStore {
  readonly url: string;
  readonly objects: Map<string, { readonly body: Buffer; readonly metadata: Record<string, string> }>;
  /** Uploads that were begun and neither completed nor aborted. */
  readonly uploads: Map<string, { readonly metadata: Record<string, string>; readonly parts: Map<number, Buffer> }>;
  close(): Promise<void>;
}

/** The S3 calls that the scripts make, for one bucket; objects by key. */
export async function fakeStore(bucket: string): Promise<FakeStore> {
  const store: FakeStore = {
    // A client that goes away in the midst of its request ends that alone.
    ...(await serve((request, response) => void answer(request, response).catch(() => response.destroy()))),
    objects: new Map(),
    uploads: new Map(),
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://store");
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}/`.length));
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const body = Buffer.concat(chunks);
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=")) {
      response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    } else if (request.headers["x-amz-content-sha256"] !== sha256(body)) {
      response.writeHead(400).end("<Error><Code>XAmzContentSHA256Mismatch</Code></Error>");
    } else if (url.searchParams.has("uploads") || url.searchParams.has("uploadId")) {
      multipart(store, request, url, key, body, response);
    } else {
      single(store, request, url, key, body, response);
    }
  };
  return store;
}

function single(
  store: FakeStore,
  request: IncomingMessage,
  url: URL,
  key: string,
  body: Buffer,
  response: ServerResponse,
): void {
  if (url.searchParams.has("list-type")) {
    const prefix = url.searchParams.get("prefix") ?? "";
    const found = [...store.objects].filter(([name]) => name.startsWith(prefix));
    const entries = found.map(
      ([name, o]) => `<Contents><Key>${encodeURIComponent(name)}</Key><Size>${o.body.length}</Size></Contents>`,
    );
    response.end(`<ListBucketResult>${entries.join("")}</ListBucketResult>`);
    return;
  }
  const object = store.objects.get(key);
  switch (request.method) {
    case "PUT":
      store.objects.set(key, { body, metadata: metadataOf(request) });
      break;
    case "DELETE":
      store.objects.delete(key);
      break;
    default:
      if (!object) {
        response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
        return;
      }
      response.writeHead(200, { ...prefixed(object.metadata), "content-length": object.body.length });
      if (request.method === "GET") {
        response.write(object.body);
      }
  }
  response.end();
}

function multipart(
  store: FakeStore,
  request: IncomingMessage,
  url: URL,
  key: string,
  body: Buffer,
  response: ServerResponse,
): void {
  if (url.searchParams.has("uploads")) {
    const id = randomUUID();
    store.uploads.set(id, { metadata: metadataOf(request), parts: new Map() });
    response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    return;
  }
  const id = url.searchParams.get("uploadId") ?? "";
  const upload = store.uploads.get(id);
  if (request.method === "PUT") {
    upload?.parts.set(Number(url.searchParams.get("partNumber")), body);
    response.writeHead(200, { etag: '"part"' }).end();
    return;
  }
  store.uploads.delete(id);
  if (request.method === "POST" && upload) {
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    store.objects.set(key, { body: Buffer.concat(parts), metadata: upload.metadata });
    response.end("<CompleteMultipartUploadResult/>");
    return;
  }
  response.writeHead(204).end();
}

function metadataOf(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice("x-amz-meta-".length), String(value)]));
}

function prefixed(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]));
}

/** A server on a free port of the loopback interface. */
export async function serve(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function gitBlob(content: Buffer): string {
  return createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
}
