import http from "node:http";
import https from "node:https";
import { rootCertificates } from "node:tls";

/** No complete answer: address, network, TLS or timeout, as its message says. */
export class NoAnswer extends Error {
  constructor(
    message: string,
    /** Advice. */
    readonly lookAt: string,
  ) {
    super(message);
  }
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface StreamedAnswer {
  readonly status: number;
  /** By `performance.now()`, when the connection had the whole request: excludes connecting. */
  readonly sentAt: number;
  /** @throws NoAnswer when the connection breaks or the signal aborts. */
  readonly lines: AsyncIterable<Line>;
}

export interface Line {
  readonly text: string;
  /** Number from 1 of the network piece with its end: lines of one piece came together. */
  readonly piece: number;
}

/** Target of a connection. */
export interface Place {
  readonly host: string;
  /** @default the URL's */
  readonly port?: number;
}

interface HttpClientOptions {
  /** Bearer token. */
  readonly token?: string;
  /** Header for servers without bearer tokens. */
  readonly key?: { readonly header: string; readonly value: string };
  /** PEM, trusted besides public CAs. */
  readonly ca?: string;
  /** Certificates in PEM that are trusted alone, in place of the public ones and of `ca`. */
  readonly onlyCa?: string;
  /** Where the server is reached, whatever its name resolves to, such as a port-forward. @default by its name */
  readonly connectTo?: Place;
  /** For server logs. @default inference-stacks-smoke */
  readonly userAgent?: string;
  /** In terms of the calling command. @default `smoke`'s */
  readonly advice?: Advice;
}

/** Advice that names the command's options. */
export interface Advice {
  /** For a timeout. */
  readonly late: string;
  /** For a refused key. */
  readonly unauthorized: string;
}

export const ADVICE_OF_SMOKE: Advice = {
  late: "the server's log and load; --timeout when it needs longer",
  unauthorized: "--api-key-file for --url, --token-file for the control API: missing, wrong or revoked",
};

/** Characters kept of a body, and of an unfinished line. */
const LONGEST_TEXT = 1_000_000;

/**
 * Node's HTTP client, because `fetch` in Node 20 accepts no CA. Each request has its own
 * connection, as those of different users have.
 */
export class HttpClient {
  constructor(
    /** Without a trailing slash. */
    readonly base: string,
    private readonly options: HttpClientOptions = {},
  ) {}

  get advice(): Advice {
    return this.options.advice ?? ADVICE_OF_SMOKE;
  }

  /**
   * @param body JSON; multipart/form-data for FormData.
   * @throws NoAnswer
   */
  async request(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<Answer> {
    const { status, lines } = await this.stream(method, path, signal, body);
    let text = "";
    for await (const line of lines) {
      text += text === "" ? line.text : `\n${line.text}`;
      if (text.length >= LONGEST_TEXT) {
        break;
      }
    }
    return { status, text };
  }

  /** @throws NoAnswer without a status. */
  async stream(method: string, path: string, signal: AbortSignal, body?: unknown): Promise<StreamedAnswer> {
    const url = new URL(`${this.base}${path}`);
    const { token, key, connectTo, userAgent = "inference-stacks-smoke" } = this.options;
    const sent = await encoded(body);
    let sentAt = performance.now();
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const shared = {
        method,
        signal,
        agent: false as const,
        ...(connectTo && {
          hostname: connectTo.host,
          ...(connectTo.port !== undefined && { port: connectTo.port }),
          servername: url.hostname,
        }),
        headers: {
          accept: "*/*",
          "user-agent": userAgent,
          host: url.host,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { [key.header]: key.value }),
          ...(sent === undefined ? {} : { "content-type": sent.type }),
        },
      };
      const request =
        url.protocol === "https:"
          ? https.request(url, { ...shared, ...trusted(this.options) }, resolve)
          : http.request(url, shared, resolve);
      request.once("error", reject);
      request.once("finish", () => {
        sentAt = performance.now();
      });
      request.end(sent?.content);
    }).catch((error: unknown) => {
      throw noAnswer(error, url, signal, this.advice);
    });
    return { status: response.statusCode ?? 0, sentAt, lines: linesOf(response, url, signal, this.advice) };
  }
}

interface Sent {
  readonly type: string;
  readonly content: string;
}

async function encoded(body: unknown): Promise<Sent | undefined> {
  if (body instanceof FormData) {
    const form = new Response(body);
    return { type: form.headers.get("content-type") ?? "", content: await form.text() };
  }
  return body === undefined ? undefined : { type: "application/json", content: JSON.stringify(body) };
}

/** A server's own certificate may be named too, without its authority, as for curl. */
function trusted({
  ca,
  onlyCa,
}: HttpClientOptions): Pick<https.RequestOptions, "ca" | "allowPartialTrustChain"> | undefined {
  const authorities = onlyCa !== undefined ? [onlyCa] : ca !== undefined ? [...rootCertificates, ca] : undefined;
  return authorities && { ca: authorities, allowPartialTrustChain: true };
}

async function* linesOf(
  response: http.IncomingMessage,
  url: URL,
  signal: AbortSignal,
  advice: Advice,
): AsyncIterable<Line> {
  let rest = "";
  let piece = 0;
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) {
      const text = String(chunk);
      piece += 1;
      // Joins small pieces of a line once, at its end.
      if (!text.includes("\n")) {
        rest += text;
        assertBounded(rest, url);
        continue;
      }
      const lines = `${rest}${text}`.split(/\r?\n/);
      rest = lines.pop() ?? "";
      assertBounded(rest, url);
      for (const line of lines) {
        yield { text: line, piece };
      }
    }
  } catch (error) {
    throw error instanceof NoAnswer ? error : noAnswer(error, url, signal, advice);
  }
  if (rest !== "") {
    yield { text: rest, piece };
  }
}

/** @throws NoAnswer for an endless line. */
function assertBounded(line: string, { host }: URL): void {
  if (line.length > LONGEST_TEXT) {
    throw new NoAnswer(
      `${host} sent more than ${LONGEST_TEXT / 1e6} million characters without the end of a line`,
      "whether this is the right server: its answers are events of one line each",
    );
  }
}

const UNTRUSTED = [
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
];

function noAnswer(error: unknown, url: URL, signal: AbortSignal, { late }: Advice): Error {
  if (signal.aborted) {
    const { reason } = signal;
    const why = reason instanceof Error && reason.name !== "TimeoutError" ? reason.message : "no answer in time";
    return new NoAnswer(`${url.host}: ${why}`, late);
  }
  const failure = firstOf(error);
  const code = failure.code ?? "";
  const address = `${url.protocol}//${url.host}`;
  if (code === "ECONNREFUSED") {
    return new NoAnswer(`nothing listens at ${address}`, "whether the server runs, its port, the port-forward");
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new NoAnswer(`the name ${url.hostname} does not resolve`, "the address for mistakes; the DNS record");
  }
  if (UNTRUSTED.includes(code)) {
    return new NoAnswer(
      `the certificate of ${address} is not trusted (${code})`,
      "--ca FILE with the authority that signed it",
    );
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "CERT_HAS_EXPIRED") {
    return new NoAnswer(`the certificate of ${address} is not valid: ${failure.message}`, "the gateway's certificate");
  }
  if (code === "ECONNRESET" || failure.message === "aborted") {
    return new NoAnswer(`the connection to ${url.host} was cut off`, "the server's log: did it crash or restart?");
  }
  if (code === "EPROTO" || code.startsWith("HPE_")) {
    return new NoAnswer(
      `${address} does not speak ${url.protocol.replace(":", "").toUpperCase()}`,
      "http:// or https://",
    );
  }
  return new NoAnswer(`${address}: ${failure.message}`, "the network between here and there");
}

/** A name with several addresses fails with one error each; the first represents all. */
function firstOf(error: unknown): NodeJS.ErrnoException {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return firstOf(error.errors[0]);
  }
  return error instanceof Error ? error : new Error(String(error));
}
