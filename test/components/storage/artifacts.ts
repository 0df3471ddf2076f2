/** Artifacts of models, and a registry that serves them: with a token, with redirects, and with what goes wrong. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { paddingOf, TAR_END, tarHeader } from "../../../downloads/tar";
import { serve } from "./fakes";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const INDEX = "application/vnd.oci.image.index.v1+json";
export const IMAGE_CONFIG = "application/vnd.oci.image.config.v1+json";
export const EMPTY_CONFIG = "application/vnd.oci.empty.v1+json";
export const TAR = "application/vnd.oci.image.layer.v1.tar";
export const TITLE = "org.opencontainers.image.title";

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

export interface LayerContent {
  readonly mediaType: string;
  readonly body: Buffer;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Stated in place of the true ones. */
  readonly stated?: { readonly digest?: string; readonly size?: number };
}

/** A layer of `modctl` or of Harbor: a file as it is. */
export function modelFile(path: string, body: Buffer, kind = "weight"): LayerContent {
  const mediaType = `application/vnd.cncf.model.${kind}.v1.raw`;
  return { mediaType, body, annotations: { "org.cncf.model.filepath": path } };
}

/** A layer of `oras push`. */
export function titledFile(path: string, body: Buffer): LayerContent {
  return { mediaType: TAR, body, annotations: { [TITLE]: path } };
}

/** Files as an archive, in their order. */
export function tarOf(files: Readonly<Record<string, Buffer | string>>): Buffer {
  return Buffer.concat([
    ...Object.entries(files).flatMap(([path, content]) => {
      const body = Buffer.from(content);
      return [tarHeader(path, body.length), body, paddingOf(body.length)];
    }),
    TAR_END,
  ]);
}

export interface FakeRegistry {
  readonly url: string;
  readonly manifests: Map<string, Buffer>;
  readonly blobs: Map<string, Buffer>;
  /** `GET digest from`, in order. */
  readonly read: string[];
  /** `user:password` that gets a token. @default none is needed */
  login?: string;
  /** Ends the connection of the next blob after so many bytes. */
  breakAfter?: number | undefined;
  ignoresRanges?: boolean;
  /** Another server, to which blobs are redirected. */
  store?: string;
  close(): Promise<void>;
}

export async function fakeRegistry(): Promise<FakeRegistry> {
  const fake: FakeRegistry = {
    ...(await serve((request, response) => answer(request, response))),
    manifests: new Map(),
    blobs: new Map(),
    read: [],
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", fake.url);
    const [, kind, reference = ""] = /\/(manifests|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
    const { authorization } = request.headers;
    if (url.pathname === "/token") {
      const isKnown = authorization === `Basic ${Buffer.from(fake.login ?? "").toString("base64")}`;
      response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(isKnown ? { token: "pass" } : errors("UNAUTHORIZED")));
    } else if (fake.login !== undefined && authorization !== "Bearer pass") {
      const challenge = `Bearer realm="${fake.url}/token",service="fake"`;
      response.writeHead(401, { "www-authenticate": challenge }).end(JSON.stringify(errors("UNAUTHORIZED")));
    } else if (kind === "manifests") {
      const found = fake.manifests.get(reference);
      response.writeHead(found ? 200 : 404).end(found ?? JSON.stringify(errors("MANIFEST_UNKNOWN")));
    } else if (fake.store !== undefined) {
      response.writeHead(307, { location: `${fake.store}${url.pathname}` }).end("elsewhere");
    } else {
      sendBlob(fake, reference, request, response);
    }
  };
  return fake;
}

function errors(code: string) {
  return { errors: [{ code, message: "no" }] };
}

function sendBlob(fake: FakeRegistry, digest: string, request: IncomingMessage, response: ServerResponse): void {
  const body = fake.blobs.get(digest);
  if (body === undefined) {
    response.writeHead(404).end(JSON.stringify(errors("BLOB_UNKNOWN")));
    return;
  }
  const [, start, last] = (fake.ignoresRanges ? null : /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "")) ?? [];
  const from = Number(start ?? 0);
  const part = body.subarray(from, last === undefined ? undefined : Number(last) + 1);
  fake.read.push(`${digest} ${from}`);
  response.writeHead(start === undefined ? 200 : 206, { "content-length": part.length });
  const { breakAfter } = fake;
  if (breakAfter !== undefined && part.length > breakAfter) {
    fake.breakAfter = undefined;
    response.write(part.subarray(0, breakAfter), () => setTimeout(() => response.destroy(), 200));
  } else {
    response.end(part);
  }
}

/** Puts an artifact there. @returns its digest. */
export function push(
  fake: FakeRegistry,
  tag: string,
  layers: readonly LayerContent[],
  config: { readonly mediaType: string; readonly text: string } = { mediaType: EMPTY_CONFIG, text: "{}" },
): string {
  const described = layers.map(({ mediaType, body, annotations, stated }) => {
    const digest = digestOf(body);
    fake.blobs.set(stated?.digest ?? digest, body);
    return { mediaType, digest, size: body.length, ...stated, ...(annotations && { annotations }) };
  });
  const body = Buffer.from(config.text);
  return put(fake, tag, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: config.mediaType, digest: digestOf(body), size: body.length },
    layers: described,
  });
}

/** Puts a manifest or an index there. @returns its digest. */
export function put(fake: FakeRegistry, tag: string, manifest: object): string {
  const text = Buffer.from(JSON.stringify(manifest));
  fake.manifests.set(tag, text);
  fake.manifests.set(digestOf(text), text);
  return digestOf(text);
}

/** An index with one manifest for each platform. */
export function pushIndex(fake: FakeRegistry, tag: string, platforms: Readonly<Record<string, string>>): string {
  const manifests = Object.entries(platforms).map(([platform, digest]) => {
    const [os, architecture] = platform.split("/");
    return { mediaType: MANIFEST, digest, size: 1, platform: { os, architecture } };
  });
  return put(fake, tag, { schemaVersion: 2, mediaType: INDEX, manifests });
}
