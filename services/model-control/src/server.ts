import { randomUUID } from "node:crypto";
import fastify, { type FastifyRequest, LogController } from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { Logger } from "pino";
import { type Count, guard } from "./auth/guard";
import type { TokenEntry } from "./auth/token-file";
import type { ControlConfig } from "./config";
import { LONGEST_MODEL_NAME } from "./model-name";
import { refuseUnknownAddresses } from "./routes/addresses";
import { giveDeadlines } from "./routes/deadline";
import { healthRoutes } from "./routes/health";
import { inferenceRoutes } from "./routes/inference";
import { modelRoutes } from "./routes/models";
import { describeApi, openapiRoute } from "./routes/openapi";
import { answerProblem } from "./routes/problem";
import type { Server, Surroundings } from "./routes/surroundings";
import { taskRoutes } from "./routes/tasks";
import { workerRoutes } from "./routes/workers";
import type { Tracing } from "./telemetry/tracing";

export interface ServerParts extends Surroundings {
  readonly config: Pick<ControlConfig, "listen" | "workers" | "registries" | "limits" | "inference">;
  readonly tokens: { tokens(): readonly TokenEntry[] };
  readonly log: Logger;
  readonly tracing?: Tracing;
  /** Called for every answered request. */
  readonly onAnswer?: (method: string, route: string, status: number, seconds: number) => void;
}

/** Builds the API's HTTP server, without listening. */
export async function buildServer(parts: ServerParts): Promise<Server> {
  const { limits, listen } = parts.config;
  const timeout = limits.requestTimeoutSeconds * 1000;
  let count: Count | undefined;
  const server = fastify({
    loggerInstance: parts.log,
    genReqId: requestId,
    // `record` logs one line per answer.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "request" }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeout,
    // Node swaps the limits if that of the headers is longer, and by default checks every 30 s.
    http: { requestTimeout: timeout, headersTimeout: timeout, connectionsCheckingInterval: 1_000 },
    keepAliveTimeout: 75_000,
    // Answers running requests; closes idle connections.
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: LONGEST_MODEL_NAME * 3 + "/status".length },
    // Each proxy appends its peer's address; only the configured number of hops is trusted.
    trustProxy: (_address, hop) => hop < listen.proxies,
    // Malformed addresses skip all hooks, and would bypass the rate limit.
    frameworkErrors: (error, request, reply) => {
      Promise.resolve(count?.(request)).then(
        () => answerProblem(error, request, reply),
        (tooMany: Error) => answerProblem(tooMany, request, reply),
      );
    },
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler(answerProblem);
  allowEmptyJson(server);

  let draining = false;
  server.addHook("preClose", async () => {
    draining = true;
  });
  server.addHook("onRequest", async (request, reply) => {
    reply
      .header("x-request-id", request.id)
      .header("cache-control", "no-store")
      .header("x-content-type-options", "nosniff");
  });
  server.addHook("onResponse", async (request, reply) => record(request, reply.statusCode, reply.elapsedTime, parts));
  await parts.tracing?.instrument(server);
  giveDeadlines(server, timeout);
  count = await guard(server, parts.tokens, limits);
  await describeApi(server);
  refuseUnknownAddresses(server);
  healthRoutes(server, parts, () => draining);
  modelRoutes(server, parts);
  taskRoutes(server, parts);
  workerRoutes(server, parts);
  inferenceRoutes(server, parts);
  openapiRoute(server);
  return server;
}

/** Accepts `curl -X POST -H "Content-Type: application/json"` without a body. */
function allowEmptyJson(server: Server): void {
  const parse = server.getDefaultJsonParser("error", "error");
  server.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body === "") {
      done(null, undefined);
    } else {
      parse(request, body.toString(), done);
    }
  });
}

/** Keeps a caller's id if safe to log, to trace requests across services. */
function requestId(request: { readonly headers: Readonly<Record<string, unknown>> }): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** @param milliseconds from the request's first byte to the answer's last. */
function record(request: FastifyRequest, status: number, milliseconds: number, { onAnswer }: ServerParts): void {
  const { url: route = "unknown", config } = request.routeOptions;
  onAnswer?.(request.method, route, status, milliseconds / 1000);
  // Probes are frequent and carry no information.
  const level = config.unlimited && status < 400 ? "debug" : "info";
  request.log[level](
    {
      method: request.method,
      path: request.url.split("?")[0],
      status,
      caller: request.caller?.id,
      milliseconds: Math.round(milliseconds),
    },
    "request answered",
  );
}
