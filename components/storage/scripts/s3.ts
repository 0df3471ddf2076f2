/** The few S3 calls that the Jobs need, path-style, as MinIO and every S3 implementation answer them. */
import { storeKeys } from "./credentials.ts";
import { environmentVariable, FinalError, withRetries } from "./retry.ts";
import { encode, type SigningKey, signedHeaders } from "./s3-signature.ts";
import { type Send, sendByFetch } from "./trusted-request.ts";

export interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Entity tag, without its quotes. */
  readonly etag: string;
}

/** The first part of an object that was written in parts, else all of it. */
export interface FirstPart {
  readonly bytes: number;
  /** With keys of a key service, or of the client: its entity tag is no hash of its bytes then. */
  readonly isEncryptedByService: boolean;
}

export interface ObjectHead {
  readonly size: number;
  /** User metadata (`x-amz-meta-*`), names without the prefix. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** S3's least size of a part; only the last one of an upload may be smaller. With 10,000 parts, objects up to 320 GB. */
export const PART_BYTES = 32 * 2 ** 20;

interface Call {
  readonly method: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Statuses, besides 2xx, that the caller handles. */
  readonly accept?: readonly number[];
}

export class S3Bucket {
  readonly endpoint: string;
  readonly bucket: string;
  readonly signingKey: SigningKey | undefined;
  /** Objects from this size on are written in parts of it. */
  readonly partBytes: number = PART_BYTES;
  private readonly send: Send;

  /**
   * @param signingKey undefined: requests are not signed, as public buckets allow.
   * @param send sends requests. @default fetch
   */
  constructor(endpoint: string, bucket: string, signingKey: SigningKey | undefined, send: Send = sendByFetch) {
    this.endpoint = endpoint;
    this.bucket = bucket;
    this.signingKey = signingKey;
    this.send = send;
  }

  /** From the variables that AWS tools read, and `BUCKET`. */
  static fromEnvironment(): S3Bucket {
    return new S3Bucket(environmentVariable("AWS_ENDPOINT_URL"), environmentVariable("BUCKET"), {
      ...storeKeys(),
      region: process.env.AWS_DEFAULT_REGION ?? "us-east-1",
    });
  }

  /** `undefined` when there is no such object. */
  async head(key: string): Promise<ObjectHead | undefined> {
    const response = await this.call({ method: "HEAD", key, accept: [404] });
    if (response.status === 404) {
      return undefined;
    }
    const metadata = [...response.headers].filter(([name]) => name.startsWith(META));
    return {
      size: Number(response.headers.get("content-length")),
      metadata: Object.fromEntries(metadata.map(([name, value]) => [name.slice(META.length), value])),
    };
  }

  async get(key: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.call({ method: "GET", key, headers });
  }

  /** `undefined` where the store does not report parts. */
  async firstPart(key: string): Promise<FirstPart | undefined> {
    const response = await this.call({ method: "HEAD", key, query: { partNumber: "1" }, accept: [400, 416, 501] });
    const bytes = Number(response.headers.get("content-length"));
    if (!response.ok || !Number.isSafeInteger(bytes) || bytes < 1) {
      return undefined;
    }
    const isEncryptedByService =
      /^aws:kms/.test(response.headers.get("x-amz-server-side-encryption") ?? "") ||
      response.headers.has("x-amz-server-side-encryption-customer-algorithm");
    return { bytes, isEncryptedByService };
  }

  /** `undefined` when there is no such object. */
  async text(key: string): Promise<string | undefined> {
    const response = await this.call({ method: "GET", key, accept: [404] });
    return response.status === 404 ? undefined : response.text();
  }

  async put(key: string, body: Uint8Array, metadata: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.call({ method: "PUT", key, body, headers: metaHeaders(metadata) });
  }

  async delete(key: string): Promise<void> {
    await this.call({ method: "DELETE", key });
  }

  /** Every object below a prefix. */
  async list(prefix: string): Promise<StoredObject[]> {
    const objects: StoredObject[] = [];
    for (let token: string | undefined = ""; token !== undefined; ) {
      const page = { "list-type": "2", prefix, "encoding-type": "url", ...(token && { "continuation-token": token }) };
      const xml = await (await this.call({ method: "GET", query: page })).text();
      for (const [, entry = ""] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        objects.push({
          key: decodeURIComponent((element(entry, "Key") ?? "").replaceAll("+", " ")),
          size: Number(element(entry, "Size")),
          etag: (element(entry, "ETag") ?? "").replace(/&quot;|&#34;|"/g, ""),
        });
      }
      token = element(xml, "NextContinuationToken");
    }
    return objects;
  }

  /**
   * Writes an object from a stream of any length, part by part. Nothing becomes visible before the last part is
   * in place and `verify` has accepted what went through; whatever fails, the parts are removed.
   */
  async upload(
    key: string,
    content: AsyncIterable<Uint8Array>,
    metadata: Readonly<Record<string, string>>,
    verify: () => void,
  ): Promise<void> {
    const started = await this.call({ method: "POST", key, query: { uploads: "" }, headers: metaHeaders(metadata) });
    const uploadId = element(await started.text(), "UploadId");
    if (!uploadId) {
      throw new Error(`${key}: the store began an upload without naming it`);
    }
    try {
      const etags: string[] = [];
      for await (const body of parts(content, this.partBytes)) {
        const query = { partNumber: String(etags.length + 1), uploadId };
        const response = await this.call({ method: "PUT", key, query, body });
        etags.push(response.headers.get("etag") ?? "");
      }
      verify();
      const list = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
      const body = Buffer.from(`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`);
      const answer = await (await this.call({ method: "POST", key, query: { uploadId }, body })).text();
      // S3 answers 200 before it knows the outcome: the body has it.
      if (!answer.includes("CompleteMultipartUploadResult")) {
        throw new Error(`${key}: the store did not complete the upload: ${answer.slice(0, 500)}`);
      }
    } catch (error) {
      await this.abort(key, uploadId);
      throw error;
    }
  }

  /** Best effort: a failure here must not hide the one that led to it; the store drops stale uploads by itself. */
  private async abort(key: string, uploadId: string): Promise<void> {
    try {
      await this.call({ method: "DELETE", key, query: { uploadId }, accept: [404] });
    } catch (error) {
      console.error(`${key}: could not remove the parts of the failed upload: ${error}`);
    }
  }

  private async call({ method, key, query = {}, headers = {}, body, accept = [] }: Call): Promise<Response> {
    const path = [this.bucket, ...(key === undefined ? [] : key.split("/"))].map(encode).join("/");
    const url = new URL(`${this.endpoint}/${path}`);
    for (const [name, value] of Object.entries(query)) {
      url.searchParams.set(name, value);
    }
    const what = `${method} s3://${this.bucket}/${key ?? query.prefix ?? ""}`;
    return withRetries(what, async () => {
      const signed =
        this.signingKey === undefined
          ? headers
          : signedHeaders({ method, url, headers, body }, this.signingKey, new Date());
      const response = await this.send(url, { method, headers: signed, body });
      if (response.ok || accept.includes(response.status)) {
        return response;
      }
      const detail = await response.text();
      const message = `${what}: ${response.status} ${element(detail, "Code") ?? ""} ${element(detail, "Message") ?? detail.slice(0, 200)}`;
      throw response.status >= 500 || response.status === 429 ? new Error(message) : new FinalError(message);
    });
  }
}

const META = "x-amz-meta-";

function metaHeaders(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${META}${name}`, value]));
}

function element(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1];
}

/** Regroups a stream into parts of equal size; at least one, since an empty object has one empty part. */
async function* parts(content: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  let sent = 0;
  for await (const chunk of content) {
    pending.push(chunk);
    bytes += chunk.byteLength;
    while (bytes >= partBytes) {
      const joined = Buffer.concat(pending);
      yield joined.subarray(0, partBytes);
      sent += 1;
      pending = [joined.subarray(partBytes)];
      bytes -= partBytes;
    }
  }
  if (bytes > 0 || sent === 0) {
    yield Buffer.concat(pending);
  }
}
