import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors, isResponseSerializationError } from "fastify-type-provider-zod";
import { z } from "zod";
import { Forbidden, Unauthenticated } from "../auth/callers";
import { ControlError, TooManyQueued } from "../errors";
import { LONGEST_REASON, shortened } from "../words";

export const PROBLEM_TYPE = "application/problem+json";

/** RFC 9457 problem with a stable code. */
export const problemSchema = z
  .object({
    type: z.string().default("about:blank").meta({ description: "Always about:blank: the code states the kind" }),
    title: z.string().meta({ description: "The status in words" }),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What is wrong, and the fix" }),
    code: z.string().meta({ description: "Stable, for programs", examples: ["unknown_model"] }),
    request_id: z.string().meta({ description: "The request's id in the log" }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details" });

export class TooManyRequests extends ControlError {
  readonly status = 429;
  readonly code = "too_many_requests";
  override readonly retryable = true;

  constructor(readonly seconds: number) {
    super(`too many requests; try again in ${seconds} s`);
  }
}

export class NotFound extends ControlError {
  readonly status = 404;
  readonly code = "not_found";
}

export class MethodNotAllowed extends ControlError {
  readonly status = 405;
  readonly code = "method_not_allowed";

  constructor(readonly allowed: readonly string[]) {
    super(`this address takes ${allowed.join(", ")}`);
  }
}

/** Errors of the framework by code. */
const FRAMEWORK: Readonly<Record<string, { readonly code: string; readonly detail: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: "body_too_large", detail: "the request's body is too large" },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "unsupported_media_type",
    detail: 'send JSON, with the header "Content-Type: application/json"',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: "invalid_request", detail: "the body is not as long as Content-Length" },
  FST_ERR_BAD_URL: { code: "invalid_request", detail: "the address is not well formed" },
};

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  507: "Insufficient Storage",
};

/**
 * Answers every error as a problem. Logs unexpected errors; the caller receives only the request
 * id.
 */
export function answerProblem(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code, detail } = describe(error);
  if (status === 500) {
    request.log.error({ error }, "request failed unexpectedly");
  } else if (status > 500) {
    request.log.warn({ code, reason: detail }, "request failed");
  }
  if (error instanceof Unauthenticated) {
    reply.header("www-authenticate", 'Bearer realm="model-control"');
  }
  if (error instanceof Forbidden) {
    reply.header(
      "www-authenticate",
      `Bearer realm="model-control", error="insufficient_scope", scope="${error.scope}"`,
    );
  }
  if (error instanceof TooManyRequests || error instanceof TooManyQueued) {
    reply.header("retry-after", error.seconds);
  }
  if (error instanceof MethodNotAllowed) {
    reply.header("allow", error.allowed.join(", "));
  }
  const title = TITLES[status] ?? "Error";
  // Not checked against the route's schema, so that unexpected errors get an answer too.
  const problem = { type: "about:blank", title, status, detail, code, request_id: request.id };
  reply.code(status).type(PROBLEM_TYPE).serializer(JSON.stringify).send(problem);
}

function describe(error: FastifyError | Error): { status: number; code: string; detail: string } {
  if (error instanceof ControlError) {
    return { status: error.status, code: error.code, detail: error.message };
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const problems = error.validation.map(({ instancePath, message }) => `${place(instancePath)}: ${message}`);
    // Problems may list every field of the request.
    return { status: 400, code: "invalid_request", detail: shortened(problems.join("; "), LONGEST_REASON) };
  }
  if (isInterruption(error)) {
    return { status: 504, code: "timeout", detail: "the engines did not answer in time" };
  }
  const known = "code" in error ? FRAMEWORK[error.code] : undefined;
  const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
  if (known !== undefined) {
    return { status, ...known };
  }
  if (status >= 400 && status < 500 && !isResponseSerializationError(error)) {
    return { status, code: "invalid_request", detail: error.message };
  }
  return { status: 500, code: "internal_error", detail: "an error of this API; its log has the details" };
}

function isInterruption(error: Error): boolean {
  return error.name === "TimeoutError" || error.name === "AbortError";
}

function place(instancePath: string): string {
  return instancePath === "" ? "the request" : instancePath.slice(1).replaceAll("/", ".");
}
