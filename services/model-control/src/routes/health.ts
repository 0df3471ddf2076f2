import { z } from "zod";
import { endsAfter } from "../backends/time-limit";
import { nameRules } from "../config";
import { ControlError, messageOf } from "../errors";
import type { WorkerReport } from "../fleet/fleet";
import { parseModelName } from "../model-name";
import { aliveSchema, healthSchema, modelNameSchema, problems } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

type Health = z.output<typeof healthSchema>;
type Check = Health["checks"]["queue"];

/** Timeouts per engine, in seconds, and in total with the queue, in milliseconds. */
const ENGINE_SECONDS = 2;
const PATIENCE = 4_000;

/** Cache time in milliseconds: public requests must not reach the engines each time. */
const FRESH = 2_000;

/** @param draining whether the API is shutting down. */
export function healthRoutes(server: Server, surroundings: Surroundings, draining: () => boolean): void {
  let last: { readonly at: number; readonly seen: Promise<Seen> } | undefined;
  const rules = nameRules(surroundings.config);

  server.get(
    "/health",
    {
      config: { scope: "anyone" },
      schema: {
        tags: ["service"],
        summary: "Whether models can be controlled, check by check",
        operationId: "getHealth",
        querystring: z.strictObject({
          model: modelNameSchema(rules)
            .optional()
            .meta({ description: "The check model_loaded is about this model, rather than about any" }),
        }),
        response: { 200: healthSchema, 503: healthSchema, ...problems(400, 422, 429) },
      },
    },
    async (request, reply) => {
      const { model } = request.query;
      const wanted = model === undefined ? undefined : parseModelName(model, rules);
      const now = Date.now();
      if (last === undefined || now - last.at > FRESH) {
        last = { at: now, seen: look(surroundings) };
      }
      const health = healthOf(await last.seen, wanted);
      return reply.code(health.healthy ? 200 : 503).send(health);
    },
  );

  // Fails only if a restart would help, not for an unreachable Redis or engine.
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
        if (path === "/readyz" && draining()) {
          throw new ShuttingDown("the API is shutting down");
        }
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

interface Seen {
  readonly queue: Check;
  /** Undefined when the fleet state is unavailable. */
  readonly workers?: readonly WorkerReport[];
}

async function look({ fleet, tasks }: Surroundings): Promise<Seen> {
  const [queue, workers] = await Promise.all([
    tasks.ping().then(
      () => check(true, "the task queue takes tasks"),
      (error) => check(false, isFull(error) ? "the task queue is full" : "the task queue cannot be reached"),
    ),
    fleet.workers(endsAfter(PATIENCE), ENGINE_SECONDS).catch(() => undefined),
  ]);
  return { queue, workers };
}

/** Error of Redis for a write when its memory is full. */
function isFull(error: unknown): boolean {
  return messageOf(error).includes("OOM command not allowed");
}

/** @param wanted model to check. */
function healthOf({ queue, workers }: Seen, wanted?: string): Health {
  const checks = {
    control_api: check(true, "it answers"),
    queue,
    backend: backendCheck(workers),
    gpu_available: gpuCheck(workers),
    model_loaded: loadedCheck(workers, wanted),
  };
  return { healthy: queue.ok === true && checks.backend.ok !== false, checks };
}

function loadedCheck(workers: readonly WorkerReport[] | undefined, wanted?: string): Check {
  const telling = (workers ?? []).filter(({ problem }) => problem === undefined);
  if (telling.length === 0) {
    return check(null, "no engine reports its models");
  }
  if (wanted === undefined) {
    const count = new Set(telling.flatMap(({ loaded }) => loaded)).size;
    return check(count > 0, `${count} loaded`);
  }
  const having = telling.filter(({ loaded }) => loaded.some((name) => bare(name) === bare(wanted)));
  return check(having.length > 0, `${wanted} is loaded on ${having.length} of ${telling.length} workers that answer`);
}

/** Engines spell names differently: Triton without a tag, Ollama in lower case. */
function bare(name: string): string {
  return name.toLowerCase().replace(/:latest$/, "");
}

/** Public, so names and numbers only. */
function backendCheck(workers: readonly WorkerReport[] | undefined): Check {
  if (workers === undefined) {
    return check(false, "the workers cannot be asked");
  }
  const named = (...states: WorkerReport["state"][]) =>
    workers.filter(({ state }) => states.includes(state)).map(({ name }) => name);
  const answering = named("running", "draining");
  const silent = named("unreachable");
  const parts = [
    `${answering.length} of ${workers.length} workers answer`,
    ...(silent.length === 0 ? [] : [`unreachable: ${silent.join(", ")}`]),
  ];
  if (answering.length > 0) {
    return check(true, parts.join("; "));
  }
  return silent.length > 0
    ? check(false, parts.join("; "))
    : check(null, "every worker is stopped, asleep or starting");
}

function gpuCheck(workers: readonly WorkerReport[] | undefined): Check {
  const told = (workers ?? []).filter(({ gpu }) => gpu !== undefined);
  const withGpu = told.filter(({ gpu }) => gpu === true).length;
  if (told.length === 0) {
    return check(null, "engines report a GPU only after they load a model");
  }
  return check(withGpu > 0, `${withGpu} of ${told.length} workers that report it compute on a GPU`);
}

function check(ok: boolean | null, detail: string): Check {
  return { ok, detail };
}
