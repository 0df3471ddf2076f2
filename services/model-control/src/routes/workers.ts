import { z } from "zod";
import { authorize, ownerOf } from "../auth/callers";
import type { WorkerReport } from "../fleet/fleet";
import { knownWorker } from "./models";
import { acceptedWorkersSchema, problems, workerListSchema, type workerSchema } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

const bodySchema = z
  .strictObject({
    worker: z.string().max(63).optional().meta({ description: "One worker" }),
    all: z.literal(true).optional().meta({ description: "All workers, as without a body" }),
  })
  .refine(({ worker, all }) => worker === undefined || all === undefined, 'either "worker" or "all"')
  .meta({ not: { required: ["worker", "all"] } })
  .nullish();

const ACTIONS = {
  stop: "Drain workers and unload their models; those that are scaled here go to zero, and stay there whatever the demand",
  start:
    "Scale workers to what they were, where they are scaled here, and load what was loaded; those that are asleep wake",
} as const;

export function workerRoutes(server: Server, { config, fleet, tasks }: Surroundings): void {
  server.get(
    "/workers",
    {
      schema: {
        tags: ["workers"],
        summary: "All workers, with their memory and disk",
        operationId: "listWorkers",
        response: { 200: workerListSchema, ...problems(401, 403, 429, 503, 504) },
      },
    },
    async (request) => ({ workers: (await fleet.workers(request.deadline)).map(workerJson) }),
  );

  for (const kind of ["stop", "start"] as const) {
    server.post(
      `/workers/${kind}`,
      {
        config: { scope: "operate" },
        schema: {
          tags: ["workers"],
          summary: ACTIONS[kind],
          description: "Makes a task for each worker. Without a body: all workers.",
          operationId: `${kind}Workers`,
          body: bodySchema,
          response: { 202: acceptedWorkersSchema, ...problems(400, 401, 403, 404, 413, 415, 429, 503) },
        },
      },
      async (request, reply) => {
        const { caller } = request;
        authorize(caller, "operate");
        const { worker } = request.body ?? {};
        if (worker !== undefined) {
          knownWorker(config, worker);
        }
        const workers = worker === undefined ? config.workers.map(({ name }) => name) : [worker];
        const owner = ownerOf(caller);
        const ids = await Promise.all(workers.map((name) => tasks.submit({ kind, worker: name }, { owner })));
        return reply.code(202).send({ task_ids: ids, ...(ids.length === 1 ? { task_id: ids[0] } : {}) });
      },
    );
  }
}

function workerJson(report: WorkerReport): z.output<typeof workerSchema> {
  const { name, backend, state, version, gpu, memory, disk, models, problem } = report;
  const budget = ({ budgetBytes, usedBytes }: WorkerReport["memory"]) => ({
    budget_bytes: budgetBytes,
    used_bytes: usedBytes,
  });
  return {
    name,
    backend,
    state,
    version,
    gpu,
    memory: budget(memory),
    disk: disk === undefined ? undefined : budget(disk),
    models: [...models],
    problem,
  };
}
