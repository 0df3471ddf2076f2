import rateLimit from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import type { ControlConfig } from "../config";
import { TooManyRequests } from "../routes/problem";
import type { Server } from "../routes/surroundings";
import { authorize, type Caller, identify } from "./callers";
import type { Scope, TokenEntry } from "./token-file";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Required scope, or alternatives; `anyone` requires no token. @default read */
    scope?: Scope | readonly [Scope, ...Scope[]] | "anyone";
    /** Exempts Kubernetes probes from the rate limit. */
    unlimited?: boolean;
  }
  interface FastifyRequest {
    caller?: Caller;
  }
}

/**
 * Counts a request.
 * @throws TooManyRequests
 */
export type Count = (request: FastifyRequest) => Promise<void>;

/**
 * Identifies the caller, counts the request and checks the scope before the body is read. Counts
 * requests without a valid token by address, against guessing.
 *
 * @returns counter for requests that match no route.
 */
export async function guard(
  server: Server,
  tokens: { tokens(): readonly TokenEntry[] },
  limits: ControlConfig["limits"],
): Promise<Count> {
  await server.register(rateLimit, { global: false });
  const count = server.createRateLimit({
    timeWindow: 60_000,
    max: ({ caller }) => (caller === undefined ? limits.anonymousRequestsPerMinute : limits.requestsPerMinute),
    keyGenerator: ({ caller, ip }) => (caller === undefined ? `address ${ip}` : `token ${caller.id}`),
  });
  const counted: Count = async (request) => {
    const limit = await count(request);
    if (!limit.isAllowed && limit.isExceeded) {
      throw new TooManyRequests(limit.ttlInSeconds);
    }
  };
  server.decorateRequest("caller");
  server.addHook("onRequest", async (request) => {
    const { scope = "read", unlimited = false } = request.routeOptions.config;
    request.caller = identify(request.headers.authorization, tokens.tokens());
    if (!unlimited) {
      await counted(request);
    }
    if (scope !== "anyone") {
      authorize(request.caller, ...(typeof scope === "string" ? ([scope] as const) : scope));
    }
  });
  return counted;
}
