/** Keys and tokens, which the Jobs get as files. */
import { readFileSync } from "node:fs";
import { environmentVariable, FinalError } from "./retry.ts";

export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * The keys in the credentials file that AWS_SHARED_CREDENTIALS_FILE names, as AWS SDKs read it: `name = value` lines.
 * It has one profile.
 *
 * @throws FinalError when the variable is not set, or the file cannot be read or lacks a key.
 */
export function storeKeys(): StoreKeys {
  const path = environmentVariable("AWS_SHARED_CREDENTIALS_FILE");
  const text = secretFile(path);
  const value = (name: string): string => {
    const found = new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)\\s*$`, "m").exec(text)?.[1];
    if (found === undefined) {
      throw new FinalError(`${path} has no line "${name} = …"`);
    }
    return found;
  };
  return { accessKeyId: value("aws_access_key_id"), secretAccessKey: value("aws_secret_access_key") };
}

/**
 * The Hugging Face token in the file that HF_TOKEN_PATH names; `undefined` when that is not set.
 *
 * @throws FinalError when the file cannot be read.
 */
export function huggingFaceToken(): string | undefined {
  const path = process.env.HF_TOKEN_PATH;
  return path ? secretFile(path).trim() : undefined;
}

/**
 * The keys of a bucket of the user's, `<access key id>:<secret access key>` in the file that SOURCE_KEYS_PATH names;
 * `undefined` when that is not set.
 *
 * @throws FinalError when the file cannot be read, or holds something else.
 */
export function sourceKeys(): StoreKeys | undefined {
  const path = process.env.SOURCE_KEYS_PATH;
  if (!path) {
    return undefined;
  }
  const [, accessKeyId, secretAccessKey] = /^([^:\s]+):(\S+)$/.exec(secretFile(path).trim()) ?? [];
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new FinalError(`${path} holds no keys: the secret must be <access key id>:<secret access key>`);
  }
  return { accessKeyId, secretAccessKey };
}

/** @throws FinalError when it cannot be read. */
export function secretFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new FinalError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
