/**
 * AWS Signature Version 4 for S3 requests.
 * Source: docs.aws.amazon.com, "Authenticating Requests (AWS Signature Version 4)", read 2026-11-21; the test
 * holds the documented example.
 *
 * The files of this folder run as they are in the Jobs' containers (Node 24 strips the types), so they use only
 * erasable syntax, Node's own modules, and imports with the file's extension.
 */
import { createHash, createHmac } from "node:crypto";

export interface SigningKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** MinIO's default is us-east-1. */
  readonly region: string;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** The request's headers with `authorization`, `x-amz-date` and `x-amz-content-sha256` added. */
export function signedHeaders(request: UnsignedRequest, key: SigningKey, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const payload = sha256(request.body ?? "");
  const headers: Record<string, string> = { ...request.headers, "x-amz-content-sha256": payload, "x-amz-date": time };
  const signed: Record<string, string> = { ...headers, host: request.url.host };
  const names = Object.keys(signed).sort();
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url.searchParams),
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const scope = `${date}/${key.region}/s3/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signingKey = [date, key.region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${key.secretAccessKey}`,
  );
  const signature = hmac(signingKey, toSign).toString("hex");
  const credential = `${key.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${names.join(";")},Signature=${signature}`,
  };
}

/** RFC 3986: everything but letters, digits and `-._~` is percent-encoded. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function canonicalQuery(parameters: URLSearchParams): string {
  return [...parameters]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
