/** Calls that the relay accepts; all others are refused. */

/** API dialect of a request; decides the format of errors. */
export type Dialect = "openai" | "ollama";

export type Call =
  /** Forwarded to a worker that has the body's model. */
  | { readonly kind: "forward"; readonly dialect: Dialect; readonly path: string }
  /** Answered from the lists of all workers. */
  | { readonly kind: "list"; readonly dialect: "ollama"; readonly what: "tags" | "ps" | "version" };

/**
 * Exact method and path; workers receive the path from this table. Source: ollama v0.32.15 and
 * v0.6.5, server/routes.go, GenerateRoutes. Omits calls that modify a worker: pull, push, create,
 * copy, delete, blobs.
 */
const CALLS: ReadonlyMap<string, Call> = new Map([
  ...["/v1/chat/completions", "/v1/completions", "/v1/embeddings"].map((path) => forwarded(path, "openai")),
  ...["/api/chat", "/api/generate", "/api/embed", "/api/embeddings", "/api/show"].map((path) =>
    forwarded(path, "ollama"),
  ),
  listed("tags"),
  listed("ps"),
  listed("version"),
]);

function forwarded(path: string, dialect: Dialect): [string, Call] {
  return [`POST ${path}`, { kind: "forward", dialect, path }];
}

function listed(what: "tags" | "ps" | "version"): [string, Call] {
  return [`GET /api/${what}`, { kind: "list", dialect: "ollama", what }];
}

/** @param target of the request line; calls have no query. */
export function callOf(method: string, target: string): Call | undefined {
  return CALLS.get(`${method} ${target}`);
}

/** Also defined for unknown calls. */
export function dialectOf(target: string): Dialect {
  return target.startsWith("/api") ? "ollama" : "openai";
}
