/** Keys and tokens, which the Jobs get as files. */
import { readFileSync } from "node:fs";
import type { RegistryLogin } from "./oci-registry.ts";
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

/**
 * The login for a registry in the Docker config.json that SOURCE_LOGINS_PATH names; `undefined` when that is not set.
 *
 * @param host as references have it.
 * @throws FinalError when the file cannot be read, or has no login for the registry.
 */
export function registryLogin(host: string): RegistryLogin | undefined {
  const path = process.env.SOURCE_LOGINS_PATH;
  return path ? loginIn(path, secretFile(path), host) : undefined;
}

/** @param path of the Docker config.json, for messages. @throws FinalError */
export function loginIn(path: string, text: string, host: string): RegistryLogin {
  const names = host === "docker.io" ? ["docker.io", "index.docker.io", "registry-1.docker.io"] : [host];
  const entry = Object.entries(loginsOf(path, text)).find(([key]) =>
    names.includes(key.replace(/^https:\/\//, "").replace(/(\/v[12])?\/*$/, "")),
  )?.[1];
  const { auth, username, password } = Object(entry) as Readonly<Record<string, unknown>>;
  const [, name = username, secret = password] =
    (typeof auth === "string" && /^([^:]+):(.+)$/s.exec(Buffer.from(auth, "base64").toString("utf8"))) || [];
  if (typeof name !== "string" || typeof secret !== "string") {
    throw new FinalError(
      `${path} has no login for ${host}: it must be a Docker config.json with auths.${JSON.stringify(host)}.auth in it, ` +
        "not in a credential helper",
    );
  }
  return { username: name, password: secret };
}

function loginsOf(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(Object(JSON.parse(text)).auths);
  } catch {
    throw new FinalError(`${path} is no JSON: it must be a Docker config.json, {"auths": …}`);
  }
}

/**
 * The authorities in the file that SOURCE_CA_PATH names, PEM; `undefined` when that is not set.
 *
 * @throws FinalError when the file cannot be read.
 */
export function sourceAuthorities(): string | undefined {
  const path = process.env.SOURCE_CA_PATH;
  return path ? secretFile(path) : undefined;
}

function secretFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new FinalError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
