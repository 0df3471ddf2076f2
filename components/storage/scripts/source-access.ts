/** How a Job is let in by a server of the user's, and which certificates it accepts there: files of the Job. */
import { secretFile } from "./credentials.ts";
import type { RegistryLogin } from "./oci-registry.ts";
import { FinalError } from "./retry.ts";

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

/** The proxy that SOURCE_PROXY names; `undefined` when that is not set. */
export function sourceProxy(): URL | undefined {
  const proxy = process.env.SOURCE_PROXY;
  return proxy ? new URL(proxy) : undefined;
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
