/** A bucket of an S3 store elsewhere, as the sync Job reads one: entity tags, parts, ranges and conditions. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "./fakes";

export interface FakeObject {
  readonly body: Buffer;
  /** It was written in parts of so many bytes. @default at once */
  readonly partBytes?: number;
  /** By a key service: its entity tag is no hash. */
  readonly isEncrypted?: boolean;
  /** Of another content than is sent. */
  readonly etagOf?: Buffer;
}

export interface FakeBucket {
  readonly url: string;
  readonly objects: Map<string, FakeObject>;
  /** `GET key from`, in order. */
  readonly read: string[];
  /** Access key that may read. */
  readonly user: string;
  /** Ends the connection of the next download after so many bytes. */
  breakAfter?: number | undefined;
  /** Answers with the whole object whatever range is asked for. @default false */
  ignoresRanges?: boolean;
  close(): Promise<void>;
}

export async function fakeBucket(bucket: string, objects: Readonly<Record<string, FakeObject>>): Promise<FakeBucket> {
  const fake: FakeBucket = {
    ...(await serve((request, response) => answer(request, response))),
    objects: new Map(Object.entries(objects)),
    read: [],
    user: "reader",
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", "http://bucket");
    const key = decodeURIComponent(url.pathname.slice(`/${bucket}/`.length));
    if (!request.headers.authorization?.includes(`Credential=${fake.user}/`)) {
      response.writeHead(403).end("<Error><Code>InvalidAccessKeyId</Code><Message>no such key</Message></Error>");
    } else if (url.searchParams.has("list-type")) {
      const prefix = url.searchParams.get("prefix") ?? "";
      const found = [...fake.objects].filter(([name]) => name.startsWith(prefix));
      response.end(`<ListBucketResult>${found.map(entry).join("")}</ListBucketResult>`);
    } else {
      sendObject(fake, key, url.searchParams.has("partNumber"), request, response);
    }
  };
  return fake;
}

function entry([key, object]: readonly [string, FakeObject]): string {
  const tag = `&quot;${etagOf(object)}&quot;`;
  return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${object.body.length}</Size><ETag>${tag}</ETag></Contents>`;
}

function sendObject(
  fake: FakeBucket,
  key: string,
  isPart: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const object = fake.objects.get(key);
  if (object === undefined) {
    response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
    return;
  }
  const { body, partBytes = body.length } = object;
  const encryption = object.isEncrypted ? { "x-amz-server-side-encryption": "aws:kms" } : {};
  if (request.method === "HEAD") {
    const bytes = isPart ? Math.min(partBytes, body.length) : body.length;
    response.writeHead(isPart ? 206 : 200, { ...encryption, "content-length": bytes }).end();
    return;
  }
  const condition = request.headers["if-match"];
  if (condition !== undefined && condition !== `"${etagOf(object)}"`) {
    response.writeHead(412).end("<Error><Code>PreconditionFailed</Code></Error>");
    return;
  }
  const from = fake.ignoresRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  fake.read.push(`${key} ${from}`);
  response.writeHead(from > 0 ? 206 : 200, { ...encryption, "content-length": body.length - from });
  const { breakAfter } = fake;
  if (breakAfter !== undefined && breakAfter < body.length - from) {
    fake.breakAfter = undefined;
    response.write(body.subarray(from, from + breakAfter), () => setTimeout(() => response.destroy(), 20));
    return;
  }
  response.end(body.subarray(from));
}

/** As S3 makes it. */
export function etagOf({ body, partBytes, isEncrypted, etagOf: other = body }: FakeObject): string {
  const hash = (bytes: Uint8Array) => createHash("md5").update(bytes).digest();
  if (partBytes === undefined) {
    return isEncrypted ? "0".repeat(32) : hash(other).toString("hex");
  }
  const parts = Array.from({ length: Math.ceil(other.length / partBytes) }, (_, i) =>
    hash(other.subarray(i * partBytes, (i + 1) * partBytes)),
  );
  return `${isEncrypted ? "0".repeat(32) : hash(Buffer.concat(parts)).toString("hex")}-${parts.length}`;
}
