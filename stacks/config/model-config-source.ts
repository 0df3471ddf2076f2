import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { AwsClient } from "aws4fetch";
import { ConfigError, toProblem } from "./problems";
import { readTextFile, UnreadableFileError } from "./text-file";

/** The texts that describe a model outside the catalogue. */
export interface ModelConfigText {
  /** The Hugging Face config.json. */
  readonly config: string;
  /** The hf_quant_config.json beside it; read for files only. */
  readonly quantization?: string;
}

export interface ReadOptions {
  /** Folder that relative paths start at: that of the environment file. */
  readonly baseDirectory: string;
  /** @default the global one */
  readonly fetch?: typeof fetch;
  /** AWS settings are read from here. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default 10 seconds */
  readonly timeoutMs?: number;
}

/** Real ones are a few kB; the largest, with lists of tensors, some 500 kB. */
const MAX_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * Reads `models.<name>.config`: a path, or a file://, https:// or s3:// URL.
 *
 * S3 uses AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and AWS_ENDPOINT_URL (other stores)
 * of the environment; without keys the request is not signed, as public buckets allow.
 *
 * @throws ConfigError with path, value, what is allowed and the fix.
 */
export async function readModelConfigSource(
  model: string,
  location: string,
  options: ReadOptions,
): Promise<ModelConfigText> {
  try {
    return await read(location, options);
  } catch (error) {
    if (!(error instanceof Unreadable)) {
      throw error;
    }
    const { message, fix } = error;
    throw new ConfigError([
      toProblem({ path: ["models", model, "config"], value: location, allowed: `a readable file: ${message}`, fix }),
    ]);
  }
}

/** Why a location cannot be read, and what to do. */
class Unreadable extends Error {
  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

async function read(location: string, options: ReadOptions): Promise<ModelConfigText> {
  const scheme = location.match(/^([a-z][a-z0-9+.-]*):\/\//i)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return readFiles(isAbsolute(location) ? location : resolve(options.baseDirectory, location));
    case "file":
      return readFiles(filePath(location));
    case "https":
      return { config: await download(httpsUrl(location), options) };
    case "s3":
      return { config: await download(s3Request(location, options), options) };
    default:
      throw new Unreadable(`${scheme}:// is not supported`, "use a path, file://, https:// or s3://");
  }
}

function filePath(location: string): string {
  try {
    return fileURLToPath(location);
  } catch {
    throw new Unreadable("the URL names another machine, or is malformed", "write file:///absolute/path/config.json");
  }
}

function readFiles(path: string): ModelConfigText {
  const config = readIfPresent(path);
  if (config === undefined) {
    throw new Unreadable(
      `there is no ${path}`,
      "correct the path; relative ones start at the folder of the environment file",
    );
  }
  const quantization = readIfPresent(join(dirname(path), "hf_quant_config.json"));
  return quantization === undefined ? { config } : { config, quantization };
}

/** Undefined when there is no such file. */
function readIfPresent(path: string): string | undefined {
  try {
    return readTextFile(path, MAX_BYTES);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) {
      throw error;
    }
    if (error.isMissing) {
      return undefined;
    }
    throw new Unreadable(`${path} ${error.reason}`, error.fix);
  }
}

function httpsUrl(location: string): Request {
  try {
    return new Request(location);
  } catch {
    throw new Unreadable("the URL is malformed, or holds a user name", "write https://host/path/config.json");
  }
}

interface S3Request {
  readonly url: string;
  readonly client: AwsClient | undefined;
}

function s3Request(location: string, { env = process.env }: ReadOptions): S3Request {
  const [, bucket, key] = location.match(/^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(.+)$/i) ?? [];
  if (!bucket || !key) {
    throw new Unreadable("an S3 location names a bucket and a key", "write s3://bucket/path/config.json");
  }
  const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1";
  const endpoint = env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL;
  const path = key.split("/").map(encodeURIComponent).join("/");
  // Path style works with every store; Amazon itself wants the bucket in the host name, unless that has dots (TLS).
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
  return { url: `${base}/${path}`, client };
}

async function download(source: Request | S3Request, options: ReadOptions): Promise<string> {
  const get = options.fetch ?? fetch;
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const request =
      source instanceof Request ? source : ((await source.client?.sign(source.url)) ?? new Request(source.url));
    const response = await get(request, { signal });
    if (source instanceof Request && response.url && !response.url.startsWith("https://")) {
      throw new Unreadable("the server redirects to an address without TLS", "use an address that stays on https://");
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw refused(response.status, !(source instanceof Request));
    }
    return await bodyOf(response);
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

function refused(status: number, s3: boolean): Unreadable {
  if (status === 401 || status === 403) {
    const fix = s3
      ? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of a user who may read it, and AWS_REGION"
      : "download the file and give its path: private files are not fetched";
    return new Unreadable(`the server answers ${status}: access denied`, fix);
  }
  return new Unreadable(
    `the server answers ${status}`,
    status === 404 ? "correct the address: there is no such file" : "try again later",
  );
}

async function bodyOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  const reader = response.body?.getReader();
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    size += chunk.value.byteLength;
    if (size > MAX_BYTES) {
      await reader?.cancel();
      throw tooLarge();
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(): Unreadable {
  return new Unreadable(
    `it is larger than ${MAX_BYTES / 1024 / 1024} MiB`,
    "give the model's config.json, not another file",
  );
}
