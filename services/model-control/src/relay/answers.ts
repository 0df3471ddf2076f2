import type { ServerResponse } from "node:http";
import type { Dialect } from "./calls";

/** Error response instead of a worker's answer. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 403 | 404 | 413 | 502 | 503 | 504,
    /** Stable, for programs. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Seconds until a retry may succeed: a model loads, a worker starts. */
const RETRY_AFTER = "5";

/** Answers an error in the dialect of the caller's API. */
export function refuse(response: ServerResponse, dialect: Dialect, { status, code, message }: Refusal): void {
  const body =
    dialect === "ollama"
      ? { error: message }
      : { error: { message, type: typeOf(status), param: code.startsWith("model_") ? "model" : null, code } };
  answerJson(response, status, body, {
    ...(status === 503 && { "retry-after": RETRY_AFTER }),
    // The rest of the body is not read.
    ...(!response.req.complete && { connection: "close" }),
  });
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** OpenAI's error types. */
function typeOf(status: number): string {
  if (status === 403) {
    return "permission_error";
  }
  return status >= 500 ? "server_error" : "invalid_request_error";
}
