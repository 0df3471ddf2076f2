/** Requests one file of a web server or S3 store, with a size limit. */
import { AwsClient } from "aws4fetch";

export interface RemoteOptions {
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** For AWS settings. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default 10 seconds */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Reason and fix for an unreadable location. */
export class Unreadable extends Error {
  constructor(
    message: string,
    readonly fix: string,
    /** Of a refusal. */
    readonly status?: number,
  ) {
    super(message);
  }
}

/**
 * `use` converts the answer.
 *
 * @param location an https:// or s3:// URL
 * @param headers of the request
 * @throws Unreadable
 */
export async function withRemoteFile<T>(
  location: string,
  options: RemoteOptions,
  headers: Readonly<Record<string, string>>,
  use: (response: Response) => Promise<T>,
): Promise<T> {
  const isS3 = /^s3:/i.test(location);
  const request = isS3 ? await s3Request(location, options, headers) : httpsRequest(location, headers);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await (options.fetch ?? fetch)(request, { signal });
    if (!isS3 && response.url && !response.url.startsWith("https://")) {
      throw new Unreadable("the server redirects to an address without TLS", "use an address that stays on https://");
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw refused(response.status, isS3);
    }
    return await use(response);
  } catch (error) {
    if (error instanceof Unreadable) {
      throw error;
    }
    if (signal.aborted) {
      throw new Unreadable(
        `no answer within ${timeoutMs / 1000} s`,
        "check the address and the network, or download the file",
      );
    }
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Unreadable(
      `the server cannot be reached (${cause})`,
      "check the address and the network, or download the file",
    );
  }
}

function httpsRequest(location: string, headers: Readonly<Record<string, string>>): Request {
  try {
    return new Request(location, { headers });
  } catch {
    throw new Unreadable("the URL is malformed, or holds a user name", "write https://host/path/config.json");
  }
}

async function s3Request(
  location: string,
  { env = process.env }: RemoteOptions,
  headers: Readonly<Record<string, string>>,
): Promise<Request> {
  const [, bucket, key] = location.match(/^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/i) ?? [];
  if (!bucket || !key) {
    throw new Unreadable("an S3 location names a bucket and a key", "write s3://bucket/path/config.json");
  }
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1";
  const endpoint = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const path = key.split("/").map(encodeURIComponent).join("/");
  // Path style works everywhere; Amazon wants the bucket in the host, unless it has dots (TLS).
  const host = `s3.${region}.amazonaws.com`;
  const amazon = bucket.includes(".") ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
  const base = endpoint ? `${endpoint.replace(/\/+$/, "")}/${bucket}` : amazon;
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = env;
  const client =
    accessKeyId && secretAccessKey
      ? new AwsClient({ accessKeyId, secretAccessKey, sessionToken, region, service: "s3" })
      : undefined;
  const url = `${base}/${path}`;
  return (await client?.sign(url, { headers })) ?? new Request(url, { headers });
}

function refused(status: number, s3: boolean): Unreadable {
  if (status === 401 || status === 403) {
    const fix = s3
      ? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of a user who may read it, and AWS_REGION"
      : "download the file and give its path: private files are not fetched";
    return new Unreadable(`the server answers ${status}: access denied`, fix, status);
  }
  return new Unreadable(
    `the server answers ${status}`,
    status === 404 ? "correct the address: there is no such file" : "try again later",
    status,
  );
}

/**
 * @param mostBytes limit; larger answers are refused
 * @param tooLarge fix for those
 * @throws Unreadable
 */
export async function bodyOf(response: Response, mostBytes: number, tooLarge: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength;
    if (size > mostBytes) {
      await reader?.cancel();
      throw new Unreadable(`it is larger than ${mostBytes / 1024 / 1024} MiB`, tooLarge);
    }
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks);
}
