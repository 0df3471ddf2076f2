import { createHash } from "node:crypto";
import { pino } from "pino";
import { type ControlConfig, configSchema } from "../../../services/model-control/src/config";
import type { Server } from "../../../services/model-control/src/routes/surroundings";
import { buildServer, type ServerParts } from "../../../services/model-control/src/server";
import { FakeFleet } from "./fake-fleet";
import { FakeTasks } from "./fake-tasks";

export const OPERATE = { authorization: "Bearer operate-token" };
export const PULL = { authorization: "Bearer pull-token" };
export const READ = { authorization: "Bearer read-token" };

export const TOKENS = [
  { id: "operator", sha256: sha256("operate-token"), scopes: ["read" as const, "operate" as const] },
  { id: "warm-models", sha256: sha256("pull-token"), scopes: ["read" as const, "pull" as const] },
  { id: "viewer", sha256: sha256("read-token"), scopes: ["read" as const] },
];

/** The smallest configuration that is complete, with changes. */
export function config(changes: Record<string, unknown> = {}): ControlConfig {
  return configSchema.parse({
    redis: { url: "redis://127.0.0.1:1" },
    tokensFile: "/nowhere",
    registries: { allowed: ["registry.ollama.ai", "hf.co"] },
    workers: [
      { name: "w1", backend: "ollama", url: "http://127.0.0.1:1", memoryBytes: 100 },
      { name: "w2", backend: "ollama", url: "http://127.0.0.1:2", memoryBytes: 100 },
    ],
    ...changes,
  });
}

/** The server over a fleet and tasks in memory; requests are injected, nothing listens. */
export async function testApi(changes: Record<string, unknown> = {}, parts: Partial<ServerParts> = {}) {
  const fleet = new FakeFleet();
  const tasks = new FakeTasks();
  const tokens = { tokens: () => TOKENS };
  const log = pino({ level: "silent" });
  const server = await buildServer({ config: config(changes), fleet, tasks, tokens, log, ...parts });
  return { server, fleet, tasks };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export type Method = "GET" | "POST" | "DELETE" | "PUT" | "HEAD";

/** A request: method, path, body and headers. */
export type Asked = readonly [method: Method, url: string, payload?: object | string, headers?: Record<string, string>];

/** The answer of a server to a request of an operator, or with other headers. */
export async function askApi(server: Server, ...[method, url, payload, headers = OPERATE]: Asked) {
  const json = typeof payload === "object" ? { "content-type": "application/json" } : {};
  const response = await server.inject({ method, url, payload, headers: { ...json, ...headers } });
  const body: unknown = response.body === "" ? undefined : response.json();
  return { status: response.statusCode, body, headers: response.headers };
}
