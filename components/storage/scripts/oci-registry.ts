/** What the sync Job reads of a registry (OCI distribution specification 1.1, read 2026-11-30). */
import { createHash } from "node:crypto";
import { throughProxy } from "./proxy-tunnel.ts";
import { FinalError, RetryLater, type RetryOptions, secondsToWait, withRetries } from "./retry.ts";
import { type Send, sendTo } from "./trusted-request.ts";
import { wholeBody } from "./whole-body.ts";

export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
}

export interface RegistrySettings {
  /** As references have it, with its port where that is not 443. */
  readonly host: string;
  /** Path in it. */
  readonly repository: string;
  /** Without a slash at its end. @default that of the host */
  readonly endpoint?: string | undefined;
  /** @default anonymous */
  readonly login?: RegistryLogin | undefined;
  /** PEM, of the registry's certificate. @default public ones */
  readonly authorities?: string | undefined;
  /** @default none */
  readonly proxy?: URL | undefined;
  /** @default 6 attempts */
  readonly retries?: RetryOptions;
}

export interface Blob {
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface Fetched {
  /** `sha256:…` of the bytes. */
  readonly digest: string;
  readonly text: string;
}

/** Of a manifest or an index: registries take none above (OCI distribution specification, "Pushing Manifests"). */
const MOST_MANIFEST_BYTES = 4 * 2 ** 20;
const MOST_TOKEN_BYTES = 2 ** 20;
const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];

export const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const INDEX_TYPES = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
export const MANIFEST_TYPES = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

/** Docker Hub's registry has another host than its references. */
const HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };

/** `https://` and the host at which a reference's registry answers. */
export function registryUrl(host: string): string {
  return `https://${HOSTS[host] ?? host}`;
}

export class OciRegistry {
  /** `oci://host/repository` */
  readonly name: string;
  private readonly host: string;
  private readonly endpoint: string;
  private readonly repository: string;
  private readonly login: RegistryLogin | undefined;
  private readonly send: Send;
  private readonly retries: RetryOptions;
  private authorization: string | undefined;

  /** @throws FinalError for a registry without TLS. */
  constructor({
    host,
    repository,
    endpoint = registryUrl(host),
    login,
    authorities,
    proxy,
    retries = {},
  }: RegistrySettings) {
    const { protocol, host: server, hostname } = new URL(endpoint);
    if (protocol !== "https:" && !["localhost", "127.0.0.1", "[::1]"].includes(hostname)) {
      throw new FinalError(`${endpoint} has no TLS: registries are read over https:// alone`);
    }
    this.name = `oci://${host}/${repository}`;
    this.host = host;
    this.endpoint = endpoint;
    this.repository = repository;
    this.login = login;
    this.send = sendTo(server, authorities, proxy && throughProxy(proxy));
    this.retries = retries;
  }

  /**
   * A manifest or an index.
   * @param reference tag, or digest that the bytes must have.
   */
  async manifest(reference: string): Promise<Fetched> {
    const accept = [...INDEX_TYPES, ...MANIFEST_TYPES].join(", ");
    const response = await this.get(`manifests/${reference}`, { accept });
    const bytes = await wholeBody(response, `${this.name}: the manifest ${reference}`, MOST_MANIFEST_BYTES);
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    if (DIGEST.test(reference) && digest !== reference) {
      throw new FinalError(
        `${this.name}: the manifest ${reference} has the digest ${digest}: it was changed on the way`,
      );
    }
    return { digest, text: bytes.toString("utf8") };
  }

  /** Bytes of a blob, from one on to before another. */
  async blob({ digest, size }: Blob, from = 0, end = size): Promise<Response> {
    const isPart = from > 0 || end < size;
    const response = await this.get(`blobs/${digest}`, isPart ? { range: `bytes=${from}-${end - 1}` } : {});
    if (isPart && response.status !== 206) {
      await response.body?.cancel();
      throw new Error(`${this.name}, ${digest}: the server ignored the range, cannot read from byte ${from}`);
    }
    return response;
  }

  private get(path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const url = new URL(`${this.endpoint}/v2/${this.repository}/${path}`);
    return withRetries(
      url.href,
      async () => {
        const first = await this.asked(url, headers);
        const response = first.status === 401 ? await this.askedAgain(url, headers, first) : first;
        if (response.ok) {
          return response;
        }
        const { status } = response;
        const message = `${url.href}: ${await reasonOf(response)}`;
        if (status === 401 || status === 403) {
          throw new FinalError(
            `${message}. A private repository needs a Docker config.json with a login for ${this.host} that may pull it: secretKey of storage.registries`,
          );
        }
        throw status >= 500 || status === 429
          ? new RetryLater(message, secondsToWait(response.headers))
          : new FinalError(message);
      },
      this.retries,
    );
  }

  /** Follows redirects, to other servers without authorization: blobs mostly lie in an object store. */
  private async asked(url: URL, headers: Readonly<Record<string, string>>): Promise<Response> {
    for (let at = url, redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const authorization = at.origin === url.origin ? this.authorization : undefined;
      const response = await this.send(at, { headers: { ...headers, ...(authorization && { authorization }) } });
      const location = response.headers.get("location");
      if (!REDIRECTS.includes(response.status) || location === null) {
        return response;
      }
      await response.body?.cancel();
      const next = new URL(location, at);
      if (next.protocol !== at.protocol) {
        throw new FinalError(`${url.href} is redirected from ${at.origin} to ${next.origin}, which is not followed`);
      }
      at = next;
    }
    throw new FinalError(`${url.href} is redirected more than ${MOST_REDIRECTS} times`);
  }

  /** With what the registry asks for: a login, or a token of it. */
  private async askedAgain(url: URL, headers: Readonly<Record<string, string>>, refused: Response): Promise<Response> {
    const challenge = refused.headers.get("www-authenticate") ?? "";
    if (/^basic\b/i.test(challenge) && this.login) {
      this.authorization = basic(this.login);
    } else if (/^bearer\b/i.test(challenge)) {
      this.authorization = `Bearer ${await this.token(challenge)}`;
    } else {
      return refused;
    }
    await refused.body?.cancel();
    return this.asked(url, headers);
  }

  /** @throws FinalError when there is none. */
  private async token(challenge: string): Promise<string> {
    const realm = parameter(challenge, "realm") ?? "";
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (url?.protocol !== new URL(this.endpoint).protocol) {
      throw new FinalError(
        `${this.name}: the registry asks for a token of ${JSON.stringify(realm)}, which is not asked`,
      );
    }
    const service = parameter(challenge, "service");
    if (service !== undefined) {
      url.searchParams.set("service", service);
    }
    url.searchParams.set("scope", `repository:${this.repository}:pull`);
    const response = await this.send(url, { headers: this.login ? { authorization: basic(this.login) } : {} });
    if (!response.ok) {
      const message = `${url.origin} gives no token for ${this.name}: ${await reasonOf(response)}`;
      throw response.status >= 500 || response.status === 429
        ? new RetryLater(message, secondsToWait(response.headers))
        : new FinalError(`${message}. Check the login in the secretKey of storage.registries`);
    }
    const { token, access_token: other } = JSON.parse(
      (await wholeBody(response, url.origin, MOST_TOKEN_BYTES)).toString("utf8"),
    ) as Record<string, unknown>;
    const found = token ?? other;
    // Line breaks are invalid in headers.
    if (typeof found !== "string" || !/^[\x21-\x7e]+$/.test(found)) {
      throw new FinalError(`${url.origin} answers without a token`);
    }
    return found;
  }
}

function basic({ username, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function parameter(challenge: string, name: string): string | undefined {
  return new RegExp(`[\\s,]${name}="([^"]*)"`, "i").exec(challenge)?.[1];
}

/** Status, and the first of the errors that a registry states. */
async function reasonOf(response: Response): Promise<string> {
  const text = (await wholeBody(response, "an error", MOST_MANIFEST_BYTES)).toString("utf8");
  const [, code = ""] = /"code"\s*:\s*"([\w-]{1,100})"/.exec(text) ?? [];
  return `HTTP ${response.status}${code === "" ? "" : ` ${code}`}`;
}
