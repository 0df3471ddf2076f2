/** What may be asked of the relay: nothing else reaches a worker. */

/** Whose API a request speaks; decides how mistakes are told. */
export type Dialect = "openai" | "ollama";

export type Call =
  /** Goes to a worker that has the model which the body names. */
  | { readonly kind: "forward"; readonly dialect: Dialect; readonly path: string }
  /** Is answered of what all workers have. */
  | { readonly kind: "list"; readonly dialect: "ollama"; readonly what: "tags" | "ps" | "version" };

/**
 * By method and path, to the letter: no spelling of another path is ever read as one of these, and workers are asked for the path
 * as it stands here. Source: ollama v0.32.15 and v0.6.5, server/routes.go, GenerateRoutes. What is missing of it changes what a
 * worker has: pull, push, create, copy, delete, blobs.
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

/** @param target of the request line; no call has a query. */
export function callOf(method: string, target: string): Call | undefined {
  return CALLS.get(`${method} ${target}`);
}

/** Also of what is no call. */
export function dialectOf(target: string): Dialect {
  return target.startsWith("/api") ? "ollama" : "openai";
}
