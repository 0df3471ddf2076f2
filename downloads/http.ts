import { basicAuthorization } from "./basic-authorization";
import { bounded, contentOf } from "./bounded";
import { viaProxy } from "./proxy";
import { proxyOf } from "./proxy-variables";
import type { Source } from "./save";

/** Inactivity timeout in seconds. */
const SILENCE_SECONDS = 60;
/** Limits of a text, which is kept in memory. */
const LARGEST_TEXT = { bytes: 64 * 2 ** 20, seconds: 600 } as const;
/** GitHub needs two. */
const MOST_REDIRECTS = 5;

export interface HttpOptions {
  /** Inactivity timeout in seconds; total time is unlimited. @default 60 */
  readonly silenceSeconds?: number;
  /** Timeout of the response headers in seconds. @default `silenceSeconds` */
  readonly answerSeconds?: number;
  /** `authorization` is sent only to the URL's server. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * File of a web server from an offset. Credentials in the URL go only to that server.
 *
 * @throws Error during iteration, with the status or refused redirect.
 */
export function httpFile(
  url: string,
  { silenceSeconds = SILENCE_SECONDS, answerSeconds = silenceSeconds, headers: sent }: HttpOptions = {},
): Source {
  return async function* (fromByte) {
    const shown = shownUrl(url);
    const aborter = new AbortController();
    let limit = answerSeconds;
    let silence = setTimeout(() => aborter.abort(), limit * 1000);
    try {
      const headers = { ...sent, ...(fromByte > 0 && { range: `bytes=${fromByte}-` }) };
      const response = await httpGet(url, { headers, signal: aborter.signal });
      if (fromByte > 0 && response.status !== 206) {
        throw new Error(`${shown}: answers ${response.status} when asked to go on at byte ${fromByte}`);
      }
      if (!response.ok) {
        throw new Error(`${shown}: answers ${response.status}`);
      }
      clearTimeout(silence);
      limit = silenceSeconds;
      silence = setTimeout(() => aborter.abort(), limit * 1000);
      for await (const chunk of response.body ?? []) {
        silence.refresh();
        yield chunk;
      }
    } catch (error) {
      throw aborter.signal.aborted ? new Error(`${shown}: nothing came for ${limit} s`) : reached(shown, error);
    } finally {
      clearTimeout(silence);
      aborter.abort();
    }
  };
}

export interface GetOptions {
  /** `authorization` is sent only to the URL's server. @default the URL's credentials */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Like `fetch`, but with the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and no redirect from
 * HTTPS to HTTP.
 *
 * @returns response of any status.
 * @throws ProxyVariableError; Error for a refused redirect or unreachable server.
 */
export async function httpGet(address: string, { headers = {}, signal }: GetOptions = {}): Promise<Response> {
  const first = new URL(address);
  const { authorization = basicAuthorization(first), ...others } = headers;
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const sent = {
      // GitHub's API requires one.
      "user-agent": "inference-stacks",
      // Compression would change the bytes and prevent resuming.
      "accept-encoding": "identity",
      ...others,
      ...(authorization !== undefined && url.origin === first.origin && { authorization }),
    };
    const response = await opened(withoutCredentials(url), sent, signal);
    if (![301, 302, 303, 307, 308].includes(response.status)) {
      return response;
    }
    await response.body?.cancel();
    url = redirected(url, response.headers.get("location"));
  }
  throw new Error(`${withoutCredentials(first).href}: more than ${MOST_REDIRECTS} redirects`);
}

function opened(url: URL, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response> {
  const proxy = proxyOf(url, process.env);
  return proxy === undefined
    ? fetch(url.href, { headers, signal, redirect: "manual" })
    : viaProxy(proxy, url, { headers, signal });
}

/**
 * Target of a redirect.
 *
 * @throws Error if it leaves HTTPS, or is no web address.
 */
export function redirected(from: URL, location: string | null): URL {
  const shown = withoutCredentials(from).href;
  const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to === undefined || !["https:", "http:"].includes(to.protocol)) {
    throw new Error(`${shown}: redirects to ${location ?? "nowhere"}`);
  }
  if (from.protocol === "https:" && to.protocol !== "https:") {
    throw new Error(`${shown}: redirects from HTTPS to ${withoutCredentials(to).href}, which is not followed`);
  }
  return to;
}

/** URL for messages, without credentials. */
export function shownUrl(url: string): string {
  return withoutCredentials(new URL(url)).href;
}

/** fetch refuses URLs with a password. */
function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

/**
 * Node's fetch gives the reason only in its error's cause; a refused connection has only a code.
 */
function reached(url: string, error: unknown): Error {
  const { cause } = Object(error) as { readonly cause?: NodeJS.ErrnoException };
  const said = cause === undefined ? undefined : cause.message || cause.code;
  const message = said ?? (error instanceof Error ? error.message : String(error));
  return new Error(message.startsWith(url) ? message : `${url}: ${message}`);
}

/**
 * Text such as a list of checksums.
 * @throws Error with the status, or above 64 MiB.
 */
export async function httpText(url: string, options?: HttpOptions): Promise<string> {
  return (await contentOf(bounded(shownUrl(url), httpFile(url, options), LARGEST_TEXT))).toString("utf8");
}
