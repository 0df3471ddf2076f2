import { z } from "zod";
import type { TaskReport } from "../tasks/task";
import { problems, taskListSchema, taskSchema } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

const taskParams = z.object({ id: z.string().max(100).meta({ description: "As the request that made it answered" }) });

export function taskRoutes(server: Server, { tasks }: Surroundings): void {
  server.get(
    "/tasks",
    {
      schema: {
        tags: ["tasks"],
        summary: "The latest tasks, the newest first",
        operationId: "listTasks",
        querystring: z.strictObject({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
        response: { 200: taskListSchema, ...problems(400, 401, 403, 429, 503) },
      },
    },
    async (request) => ({ tasks: (await tasks.recent(request.query.limit)).map(taskJson) }),
  );

  server.get(
    "/tasks/:id/status",
    {
      schema: {
        tags: ["tasks"],
        summary: "Where a task is",
        operationId: "getTask",
        params: taskParams,
        response: { 200: taskSchema, ...problems(400, 401, 403, 404, 429, 503) },
      },
    },
    async (request) => taskJson(await tasks.find(request.params.id)),
  );

  server.delete(
    "/tasks/:id",
    {
      config: { scope: "operate" },
      schema: {
        tags: ["tasks"],
        summary: "Cancel a task",
        description:
          "Answers at once; what a cancelled pull began is removed. A cancelled task may be cancelled again.",
        operationId: "cancelTask",
        params: taskParams,
        response: { 202: taskSchema, ...problems(400, 401, 403, 404, 409, 429, 503) },
      },
    },
    async (request, reply) => reply.code(202).send(taskJson(await tasks.cancel(request.params.id))),
  );
}

function taskJson(task: TaskReport): z.output<typeof taskSchema> {
  return {
    task_id: task.id,
    kind: task.kind,
    model: task.model,
    worker: task.worker,
    state: task.state,
    progress: task.progress,
    error: task.error,
    attempts: { ...task.attempts },
    created_at: task.createdAt.toISOString(),
    started_at: task.startedAt?.toISOString(),
    finished_at: task.finishedAt?.toISOString(),
  };
}
