import { z } from "zod";
import { authorize } from "../auth/callers";
import { laneOfId } from "../tasks/job";
import type { TaskReport } from "../tasks/task";
import { problems, taskListSchema, taskSchema } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

const taskParams = z.object({ id: z.string().max(100).meta({ description: "As the request that made it answered" }) });

export function taskRoutes(server: Server, { tasks, inferences }: Surroundings): void {
  /** Callers see only their own inferences; tasks of others look unknown. */
  const inferencesFor = (id: string) => (laneOfId(id) === "inference" ? inferences : undefined);
  server.get(
    "/tasks",
    {
      schema: {
        tags: ["tasks"],
        summary: "The latest tasks, the newest first; of inference the caller's own",
        operationId: "listTasks",
        querystring: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
        response: { 200: taskListSchema, ...problems(400, 401, 403, 429, 503) },
      },
    },
    async ({ query, caller }) => {
      const { limit } = query;
      const found = await Promise.all([tasks.recent(limit), inferences?.recent(caller, limit) ?? []]);
      const newest = found.flat().sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
      return { tasks: newest.slice(0, limit).map(taskJson) };
    },
  );

  server.get(
    "/tasks/:id/status",
    {
      config: { scope: ["read", "infer"] },
      schema: {
        tags: ["tasks"],
        summary: "Where a task is",
        operationId: "getTask",
        params: taskParams,
        response: { 200: taskSchema, ...problems(400, 401, 403, 404, 429, 503) },
      },
    },
    async ({ params: { id }, caller }) => {
      const own = inferencesFor(id);
      if (own !== undefined) {
        return taskJson(await own.status(caller, id));
      }
      authorize(caller, "read");
      return taskJson(await tasks.find(id));
    },
  );

  server.delete(
    "/tasks/:id",
    {
      config: { scope: ["operate", "infer"] },
      schema: {
        tags: ["tasks"],
        summary: "Cancel a task",
        description:
          "Answers at once; what a cancelled pull began is removed, and answers that are there stay. A cancelled task may be cancelled again.",
        operationId: "cancelTask",
        params: taskParams,
        response: { 202: taskSchema, ...problems(400, 401, 403, 404, 409, 429, 503) },
      },
    },
    async ({ params: { id }, caller }, reply) => {
      const own = inferencesFor(id);
      if (own === undefined) {
        authorize(caller, "operate");
      }
      return reply.code(202).send(taskJson(await (own === undefined ? tasks.cancel(id) : own.cancel(caller, id))));
    },
  );
}

export function taskJson(task: TaskReport): z.output<typeof taskSchema> {
  return {
    task_id: task.id,
    kind: task.kind,
    model: task.model,
    worker: task.worker,
    state: task.state,
    progress: task.progress,
    step: task.step,
    error: task.error,
    attempts: { ...task.attempts },
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString(),
    finished_at: task.finishedAt?.toISOString(),
  };
}
