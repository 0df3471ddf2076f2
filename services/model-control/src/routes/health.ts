import type { z } from "zod";
import { ControlError } from "../errors";
import type { WorkerReport } from "../fleet/fleet";
import { aliveSchema, healthSchema, problems } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

type Health = z.output<typeof healthSchema>;
type Check = Health["checks"]["queue"];

/** The engines get this long to answer, in milliseconds. */
const PATIENCE = 2_500;

/** Anybody may ask, as often as the limit allows: the engines are asked once in this time, in milliseconds. */
const FRESH = 2_000;

/** @param draining whether the API is shutting down, and wants no new requests. */
export function healthRoutes(server: Server, surroundings: Surroundings, draining: () => boolean): void {
  let last: { readonly at: number; readonly health: Promise<Health> } | undefined;

  server.get(
    "/health",
    {
      config: { scope: "anyone" },
      schema: {
        tags: ["service"],
        summary: "Whether models can be controlled, check by check",
        operationId: "getHealth",
        response: { 200: healthSchema, 503: healthSchema, ...problems(429) },
      },
    },
    async (_request, reply) => {
      const now = Date.now();
      if (last === undefined || now - last.at > FRESH) last = { at: now, health: healthOf(surroundings) };
      const health = await last.health;
      return reply.code(health.healthy ? 200 : 503).send(health);
    },
  );

  // A restart would not bring Redis or an engine back: only what a restart cures fails these two.
  for (const { path, summary, id } of [
    { path: "/livez", summary: "Whether the process works", id: "isAlive" },
    { path: "/readyz", summary: "Whether it takes requests", id: "isReady" },
  ]) {
    server.get(
      path,
      {
        config: { scope: "anyone", unlimited: true },
        schema: {
          tags: ["service"],
          summary,
          operationId: id,
          response: { 200: aliveSchema, ...problems(503) },
        },
      },
      async () => {
        if (path === "/readyz" && draining()) throw new ShuttingDown("the API is shutting down");
        return { status: "ok" as const };
      },
    );
  }
}

class ShuttingDown extends ControlError {
  readonly status = 503;
  readonly code = "shutting_down";
  override readonly retryable = true;
}

async function healthOf({ fleet, tasks }: Surroundings): Promise<Health> {
  const signal = AbortSignal.timeout(PATIENCE);
  const [queue, workers, loaded] = await Promise.all([
    tasks.ping().then(
      () => check(true, "the task queue answers"),
      () => check(false, "the task queue cannot be reached"),
    ),
    fleet.workers(signal).catch(() => undefined),
    fleet.models(signal).then(
      (models) => models.filter(({ state }) => state === "loaded").length,
      () => undefined,
    ),
  ]);
  const checks = {
    control_api: check(true, "it answers"),
    queue,
    backend: backendCheck(workers),
    gpu_available: gpuCheck(workers),
    model_loaded: loaded === undefined ? check(null, "no engine tells") : check(loaded > 0, `${loaded} loaded`),
  };
  return { healthy: checks.queue.ok === true && checks.backend.ok !== false, checks };
}

/** Names and numbers only: anybody may read this. */
function backendCheck(workers: readonly WorkerReport[] | undefined): Check {
  if (workers === undefined) return check(false, "the workers cannot be asked");
  const named = (...states: WorkerReport["state"][]) =>
    workers.filter(({ state }) => states.includes(state)).map(({ name }) => name);
  const answering = named("running", "draining");
  const silent = named("unreachable");
  const parts = [
    `${answering.length} of ${workers.length} workers answer`,
    ...(silent.length === 0 ? [] : [`unreachable: ${silent.join(", ")}`]),
  ];
  if (answering.length > 0) return check(true, parts.join("; "));
  return silent.length > 0 ? check(false, parts.join("; ")) : check(null, "every worker is stopped or starting");
}

function gpuCheck(workers: readonly WorkerReport[] | undefined): Check {
  const told = (workers ?? []).filter(({ gpu }) => gpu !== undefined);
  const withGpu = told.filter(({ gpu }) => gpu === true).length;
  if (told.length === 0) return check(null, "no engine tells before it loaded a model");
  return check(withGpu > 0, `${withGpu} of ${told.length} workers that tell compute on a GPU`);
}

function check(ok: boolean | null, detail: string): Check {
  return { ok, detail };
}
