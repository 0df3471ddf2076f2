/**
 * One call to a registrar, which may be away, slow or hostile: it ends in time, follows nothing, and reads no body. Of an answer count
 * the status and `Retry-After`.
 *
 * node:http, because fetch follows redirects, and decodes bodies.
 */
import { readFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";

/** Why a registrar did not do what it was asked for. */
export const FAILURES = [
  /** No address, no connection, or it ended before an answer. */
  "connection",
  /** No trust in its certificate, or no TLS at all. */
  "tls",
  /** No answer in time. */
  "timeout",
  /** It answered 3xx: it is elsewhere, and elsewhere gets no key. */
  "redirect",
  /** It answered 401 or 403. */
  "unauthorized",
  /** It answered 429. */
  "rate-limited",
  /** It answered 410: it wants no more of this node. */
  "gone",
  /** It answered another 4xx. */
  "refused",
  /** It answered 5xx. */
  "server-error",
  /** It answered what is no answer of HTTP, or no final one. */
  "protocol",
  /** The file with the key, or with the authorities, cannot be read: nothing was sent. */
  "file",
] as const;

export type FailureKind = (typeof FAILURES)[number];

export type Outcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly kind: FailureKind;
      /** For people: the status or the error's code, nothing that the registrar wrote. */
      readonly reason: string;
      /** Of an answer. */
      readonly status?: number;
      /** What it asked for by `Retry-After`. @default it did not */
      readonly retryAfterMs?: number;
    };

export interface Call {
  readonly method: "PUT" | "DELETE";
  readonly url: string;
  readonly body?: object;
  /** File with the bearer token, read for each call: a new key needs no new pod. @default no token */
  readonly keyFile?: string;
  /** PEM file with the authorities that its certificate may be signed by. @default those of the image */
  readonly authoritiesFile?: string;
  readonly deadlineMs: number;
  /** Gives it up early. */
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
 * What is asked ends after a time, or early. Not by `AbortSignal.any`: of each of those whose time is over Node keeps something for as long as the
 * other signal lives (nodejs/node#64476, in 24.18 too; read 2026-11-23), and that one lives as long as the process.
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
    // A connection of its own: nothing of an answer that was not read waits in it for the next one.
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
    // An upgrade that nobody asked for ends without an error.
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

/** Milliseconds from now on, of seconds or of a date. @returns undefined for what is neither. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (/^\d{1,9}$/.test(value)) {
    return Number(value) * 1000;
  }
  // A date of HTTP begins with its weekday; what else Date.parse takes for one is none.
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

/** The error's code alone: messages of TLS hold what the other side wrote into its certificate. */
export function codeOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown error";
}
