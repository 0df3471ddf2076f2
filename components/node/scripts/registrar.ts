/**
 * One call to a registrar that may be down, slow or hostile: bounded in time, no redirects, no
 * body. Only the status and `Retry-After` of an answer count.
 *
 * node:http, because fetch follows redirects and decodes bodies.
 */
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";

export const FAILURES = [
  /** No address, no connection, or closed before an answer. */
  "connection",
  /** Untrusted certificate, or no TLS. */
  "tls",
  "timeout",
  /** 3xx: never followed, so that no other server gets the key. */
  "redirect",
  /** 401 or 403. */
  "unauthorized",
  /** It answered 429. */
  "rate-limited",
  /** 410: the registrar rejects this node. */
  "gone",
  /** Another 4xx. */
  "refused",
  /** It answered 5xx. */
  "server-error",
  /** Not HTTP, or no final response. */
  "protocol",
  /** The key or CA file is unreadable: no request was sent. */
  "file",
] as const;

export type FailureKind = (typeof FAILURES)[number];

export type Outcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly kind: FailureKind;
      /** Human-readable status or error code, without registrar content. */
      readonly reason: string;
      /** Of an answer. */
      readonly status?: number;
      /** Requested wait of `Retry-After`. @default none */
      readonly retryAfterMs?: number;
    };

export interface Call {
  readonly method: "PUT" | "DELETE";
  readonly url: string;
  readonly body?: object;
  /** File with the bearer token, read per call: a new key needs no new pod. @default no token */
  readonly keyFile?: string;
  /** PEM file with CA certificates. @default those of the image */
  readonly authoritiesFile?: string;
  readonly deadlineMs: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

/** Never throws. */
export async function callRegistrar(call: Call): Promise<Outcome> {
  let options: RequestOptions;
  const text = call.body === undefined ? "" : JSON.stringify(call.body);
  try {
    options = optionsOf(call, text);
  } catch (error) {
    return { ok: false, kind: "file", reason: codeOf(error) };
  }
  try {
    return await withDeadline(call.deadlineMs, call.signal, (signal) =>
      answered(call.url, { ...options, signal }, text),
    );
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * Limits a call by time and signal. `AbortSignal.any` leaks memory in Node while the other signal
 * lives (nodejs/node#64476, in 24.18 too; read 2026-11-23), here as long as the process.
 */
export async function withDeadline<T>(
  milliseconds: number,
  early: AbortSignal | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, milliseconds);
  early?.addEventListener("abort", end);
  if (early?.aborted) {
    end();
  }
  try {
    return await ask(controller.signal);
  } finally {
    clearTimeout(timer);
    early?.removeEventListener("abort", end);
  }
}

function optionsOf({ method, keyFile, authoritiesFile }: Call, text: string) {
  const key = keyFile === undefined ? undefined : readFileSync(keyFile, "utf8").trim();
  return {
    method,
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    // A separate connection: an unread answer cannot reach the next call.
    agent: false as const,
    maxHeaderSize: 8192,
    ...(authoritiesFile !== undefined && { ca: readFileSync(authoritiesFile, "utf8") }),
  };
}

function answered(url: string, options: RequestOptions, text: string): Promise<Outcome> {
  const send = url.startsWith("https:") ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = send(url, options);
    outgoing.once("response", (response) => {
      resolve(outcomeOf(response));
      outgoing.destroy();
    });
    outgoing.on("error", reject);
    // An unexpected upgrade ends without an error event.
    outgoing.once("close", () => resolve({ ok: false, kind: "protocol", reason: "no final answer" }));
    outgoing.end(text);
  });
}

function outcomeOf({ statusCode: status = 0, headers }: IncomingMessage): Outcome {
  if (status >= 200 && status <= 299) {
    return { ok: true };
  }
  const retryAfterMs = retryAfter(headers["retry-after"], Date.now());
  const kind = kindOf(status);
  return {
    ok: false,
    kind,
    reason: `HTTP ${status}`,
    status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function kindOf(status: number): FailureKind {
  switch (status) {
    case 401:
    case 403:
      return "unauthorized";
    case 429:
      return "rate-limited";
    case 410:
      return "gone";
    default:
      return HUNDREDS[Math.floor(status / 100)] ?? "protocol";
  }
}

const HUNDREDS: Readonly<Record<number, FailureKind>> = { 3: "redirect", 4: "refused", 5: "server-error" };

/** Milliseconds until a time given in seconds or as a date. @returns undefined for other values. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\d{1,9}$/.test(value)) {
    return Number(value) * 1000;
  }
  // HTTP dates begin with a weekday; Date.parse accepts more.
  const date = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function failureOf(error: unknown): Outcome {
  const code = codeOf(error);
  if (error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError")) {
    return { ok: false, kind: "timeout", reason: "no answer in time" };
  }
  if (code.startsWith("HPE_")) {
    return { ok: false, kind: "protocol", reason: code };
  }
  const tls = /CERT|SSL|TLS|SIGNATURE|ISSUER|^EPROTO$/.test(code);
  return { ok: false, kind: tls ? "tls" : "connection", reason: code };
}

/** Only the code: TLS messages contain text from the peer's certificate. */
export function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown error";
}
