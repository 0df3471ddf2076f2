import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigError, toProblem } from "./core/problems";
import { bodyOf, type RemoteOptions, Unreadable, withRemoteFile } from "./remote-file";
import { readTextFile, UnreadableFileError } from "./text-file";

/** Description of a model outside the catalogue. */
export interface ModelConfigText {
  /** The Hugging Face config.json. */
  readonly config: string;
  /** hf_quant_config.json next to it, for files only. */
  readonly quantization?: string;
}

export interface ReadOptions extends RemoteOptions {
  /** Base of relative paths: the environment file's folder. */
  readonly baseDirectory: string;
}

/** Real ones are a few kB; the largest, with lists of tensors, some 500 kB. */
const MAX_BYTES = 5 * 1024 * 1024;

/**
 * Reads `models.<name>.config`: a path, or a file://, https:// or s3:// URL.
 *
 * S3 uses AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION and
 * AWS_ENDPOINT_URL (other stores) of the environment; without keys requests are unsigned, for
 * public buckets.
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

async function read(location: string, options: ReadOptions): Promise<ModelConfigText> {
  const path = localPath(location, options.baseDirectory);
  if (path !== undefined) {
    return readFiles(path);
  }
  const scheme = schemeOf(location);
  switch (scheme) {
    case "https":
    case "s3":
      return { config: await download(location, options) };
    default:
      throw new Unreadable(`${scheme}:// is not supported`, "use a path, file://, https:// or s3://");
  }
}

/**
 * Local path; undefined for a server.
 * @throws Unreadable for a file URL of another machine
 */
export function localPath(location: string, baseDirectory: string): string | undefined {
  switch (schemeOf(location)) {
    case undefined:
      return isAbsolute(location) ? location : resolve(baseDirectory, location);
    case "file":
      return filePath(location);
    default:
      return undefined;
  }
}

function schemeOf(location: string): string | undefined {
  return location.match(/^([a-z][a-z0-9+.-]*):\/\//i)?.[1]?.toLowerCase();
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
    const fix = error.reason === "is a folder" ? `name ${join(path, "config.json")}` : error.fix;
    throw new Unreadable(`${path} ${error.reason}`, fix);
  }
}

async function download(location: string, options: ReadOptions): Promise<string> {
  const use = (response: Response) => bodyOf(response, MAX_BYTES, "give the model's config.json, not another file");
  return new TextDecoder().decode(await withRemoteFile(location, options, {}, use));
}
