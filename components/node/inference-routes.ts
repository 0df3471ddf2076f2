/** Routes to the engine, and the answers to all other requests. */
import { header, methodIs } from "./envoy-extension";
import { CREDENTIALS, ENGINE_HOST, NODE_CLUSTERS, NODE_HEADERS } from "./envoy-names";
import type { EnginePath, InferencePaths } from "./inference-paths";
import { NODE_HEALTH_PATH, NODE_INFER_PATH } from "./ports";

const { tenant, correlation } = NODE_HEADERS;

/**
 * Caller headers for engines. All client values are removed first: Envoy overwrites only the first
 * header of a name.
 */
const CALLER = {
  request_headers_to_remove: [tenant.to, correlation.to, ...CREDENTIALS],
  request_headers_to_add: [tenant, correlation].map(({ from, to }) => header(to, `%REQ(${from.toUpperCase()})%`)),
} as const;

/** @returns the routes, then the answers for other methods, in matching order. */
export function inferenceRoutes({ infer, own }: InferencePaths): object[] {
  return [
    route("infer", { method: "POST", path: NODE_INFER_PATH }, infer),
    ...own.map((each) => route("engine", each)),
  ];
}

export function otherRoutes({ own }: InferencePaths): object[] {
  const methods = allowedMethods(own);
  const known = [...methods].map(([path, allowed]) => `${allowed.join(" or ")} ${path}`).join(", ");
  return [
    ...[...methods].map(([path, allowed]) => ({
      name: "method-not-allowed",
      match: { path },
      direct_response: { status: 405, body: text(`This path takes ${allowed.join(" and ")} alone.`) },
      response_headers_to_add: [header("allow", allowed.join(", "))],
    })),
    {
      name: "not-found",
      match: { prefix: "/" },
      direct_response: { status: 404, body: text(`Nothing answers at this path. This node answers ${known}.`) },
    },
  ];
}

function allowedMethods(own: readonly EnginePath[]): Map<string, string[]> {
  const methods = new Map<string, string[]>([
    [NODE_HEALTH_PATH, ["GET", "HEAD"]],
    [NODE_INFER_PATH, ["POST"]],
  ]);
  for (const { method, path } of own) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}

function route(name: string, { method, path }: EnginePath, rewritten?: string) {
  return {
    name,
    match: { path, headers: [methodIs(method)] },
    route: {
      cluster: NODE_CLUSTERS.engine,
      host_rewrite_literal: ENGINE_HOST,
      ...(rewritten !== undefined && { prefix_rewrite: rewritten }),
      // Models may compute for long: only the idle timeout limits a request.
      timeout: "0s",
    },
    ...CALLER,
    response_headers_to_remove: ["x-envoy-upstream-service-time"],
  };
}

function text(inline_string: string) {
  return { inline_string };
}
