import { bounded, contentOf } from "../downloads/bounded";
import { type HttpOptions, httpFile, httpGet } from "../downloads/http";
import { PATIENCE } from "./find";
import type { Registry } from "./registry";

/** Chart manifests have some hundred bytes, image indexes and token answers a few thousand. */
const SMALL = { bytes: 4 * 2 ** 20, seconds: 60 } as const;

const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** Docker Hub's registry has another host than its references. */
const HOSTS: Readonly<Record<string, string>> = { "docker.io": "registry-1.docker.io" };

interface Place {
  /** `https://registry.example.com` */
  readonly server: string;
  /** Path in it. */
  readonly repository: string;
}

/**
 * Public registries through the API of OCI's distribution specification. Uses anonymous tokens;
 * credentials are not supported.
 */
export class HttpRegistry implements Registry {
  /** By server and repository. */
  private readonly authorizations = new Map<string, Promise<string | undefined>>();

  constructor(private readonly options: Pick<HttpOptions, "silenceSeconds" | "answerSeconds"> = PATIENCE) {}

  async manifest(reference: string): Promise<Buffer> {
    const [, name = "", version = ""] = /^(.+?)[:@]((?:sha256:)?[^:@/]+)$/.exec(reference) ?? [];
    const place = placeOf(name);
    const headers = { accept: MANIFESTS, ...(await this.headers(place)) };
    const url = `${place.server}/v2/${place.repository}/manifests/${version}`;
    return contentOf(bounded(reference, httpFile(url, { ...this.options, headers }), SMALL));
  }

  async *blob(repository: string, digest: string): AsyncGenerator<Uint8Array> {
    const place = placeOf(repository);
    const headers = await this.headers(place);
    const url = `${place.server}/v2/${place.repository}/blobs/${digest}`;
    yield* httpFile(url, { ...this.options, headers })(0);
  }

  private async headers(place: Place): Promise<Readonly<Record<string, string>>> {
    const key = `${place.server}/${place.repository}`;
    const asked = this.authorizations.get(key) ?? authorizationFor(place, this.options);
    this.authorizations.set(key, asked);
    const authorization = await asked;
    return authorization === undefined ? {} : { authorization };
  }
}

/** Server of a reference: HTTP on loopback, as in Docker, otherwise HTTPS. */
function placeOf(reference: string): Place {
  const slash = reference.indexOf("/");
  const host = reference.slice(0, slash);
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
  return {
    server: `${isHere ? "http" : "https"}://${HOSTS[host] ?? host}`,
    repository: reference.slice(slash + 1),
  };
}

/**
 * Authorization header, if required.
 * @throws Error for an unsupported scheme
 */
async function authorizationFor({ server, repository }: Place, options: HttpOptions): Promise<string | undefined> {
  const url = `${server}/v2/`;
  const { silenceSeconds = PATIENCE.silenceSeconds, answerSeconds = silenceSeconds } = options;
  const response = await httpGet(url, { signal: AbortSignal.timeout(answerSeconds * 1000) }).catch(unreached(url));
  await response.body?.cancel();
  if (response.status !== 401) {
    return undefined;
  }
  const challenge = response.headers.get("www-authenticate") ?? "";
  const realm = parameter(challenge, "realm");
  if (!/^bearer /i.test(challenge) || realm === undefined || !URL.canParse(realm)) {
    throw new Error(`${server}: asks for a login, and only public registries are asked`);
  }
  const token = new URL(realm);
  if (token.protocol !== "https:" && server.startsWith("https:")) {
    throw new Error(`${server}: sends clients from HTTPS to ${token.origin} for a token, which is not followed`);
  }
  token.searchParams.set("service", parameter(challenge, "service") ?? "");
  token.searchParams.set("scope", `repository:${repository}:pull`);
  const source = bounded(token.origin, httpFile(token.href, options), SMALL);
  return `Bearer ${tokenIn((await contentOf(source)).toString("utf8"), token.origin)}`;
}

function parameter(challenge: string, name: string): string | undefined {
  return new RegExp(`[\\s,]${name}="([^"]*)"`, "i").exec(challenge)?.[1];
}

/** @throws Error without a token */
function tokenIn(text: string, from: string): string {
  const { token, access_token: accessToken } = Object(parsed(text)) as Readonly<Record<string, unknown>>;
  const found = token ?? accessToken;
  // Line breaks are invalid in headers.
  if (typeof found !== "string" || !/^[\x21-\x7e]+$/.test(found)) {
    throw new Error(`${from}: answers without a token`);
  }
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Node's fetch gives the reason only in its error's cause. */
function unreached(url: string): (error: unknown) => never {
  return (error) => {
    const { cause, message } = Object(error) as { readonly cause?: NodeJS.ErrnoException; readonly message?: string };
    throw new Error(`${url}: ${cause?.message || cause?.code || message}`);
  };
}
