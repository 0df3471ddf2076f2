import { z } from "zod";
import { authorize, ownerOf } from "../auth/callers";
import { nameRules } from "../config";
import { UnknownModel, UnknownWorker } from "../errors";
import type { ModelReport } from "../fleet/fleet";
import type { Leave, Stays } from "../fleet/idle";
import { parseModelName } from "../model-name";
import { MethodNotAllowed } from "./problem";
import { acceptedSchema, modelListSchema, modelNameSchema, modelSchema, problems } from "./schemas";
import type { Server, Surroundings } from "./surroundings";

const STATUS = "/status";
/** Names that the router would match as models. */
const ACTIONS = ["pull", "load"];

export function modelRoutes(server: Server, { config, fleet, tasks }: Surroundings): void {
  const rules = nameRules(config);
  const model = modelNameSchema(rules);
  // Model names contain slashes, raw or encoded: the route takes the rest of the path.
  const params = z.object({ "*": model });

  server.get(
    "/models",
    {
      schema: {
        tags: ["models"],
        summary: "All models that a worker has",
        operationId: "listModels",
        response: { 200: modelListSchema, ...problems(401, 403, 429, 503, 504) },
      },
    },
    async (request) => ({ models: (await fleet.models(request.deadline)).map(modelJson) }),
  );

  server.get(
    `/models/*`,
    {
      config: { describedUrl: `/models/:model${STATUS}` },
      schema: {
        tags: ["models"],
        summary: "Where a model is",
        operationId: "getModel",
        params,
        response: { 200: modelSchema, ...problems(400, 401, 403, 404, 422, 429, 503, 504) },
      },
    },
    async (request) => {
      const rest = request.params["*"];
      if (!rest.endsWith(STATUS)) {
        throw new MethodNotAllowed([ACTIONS.includes(rest) ? "POST" : "DELETE"]);
      }
      return modelJson(await fleet.model(parseModelName(rest.slice(0, -STATUS.length), rules), request.deadline));
    },
  );

  server.post(
    "/models/pull",
    {
      config: { scope: "pull" },
      schema: {
        tags: ["models"],
        summary: "Bring a model to a worker's disk, and into its memory",
        description:
          "Creates a task of the caller; while it is unfinished, the same request of any caller returns it. Callers take turns, " +
          "and have a limit of unfinished tasks. The least recently used models leave when there is no room; pinned ones stay.",
        operationId: "pullModel",
        body: z.strictObject({
          model,
          load: z.boolean().default(true).meta({ description: "Whether to load it into memory as well" }),
          worker: z.string().max(63).optional().meta({ description: "Not given: the API chooses" }),
        }),
        response: { 202: acceptedSchema, ...problems(400, 401, 403, 404, 413, 415, 422, 429, 503) },
      },
    },
    async (request, reply) => {
      const { caller } = request;
      authorize(caller, "pull");
      const { load, worker } = request.body;
      if (worker !== undefined) {
        knownWorker(config, worker);
      }
      const name = parseModelName(request.body.model, rules);
      const task = { kind: "pull", model: name, load, worker } as const;
      return reply.code(202).send({ task_id: await tasks.submit(task, { owner: ownerOf(caller) }) });
    },
  );

  server.post(
    "/models/load",
    {
      config: { scope: "operate" },
      schema: {
        tags: ["models"],
        summary: "Bring a model from disk into memory",
        description: "Makes a task. A model that is still being pulled is loaded by the pull's own task.",
        operationId: "loadModel",
        body: z.strictObject({ model }),
        response: { 202: acceptedSchema, ...problems(400, 401, 403, 404, 413, 415, 422, 429, 503, 504) },
      },
    },
    async (request, reply) => {
      const { caller } = request;
      authorize(caller, "operate");
      const name = parseModelName(request.body.model, rules);
      const { state } = await fleet.model(name, request.deadline);
      if (state === "absent") {
        throw new UnknownModel(`no worker has ${name} on disk; pull it first (POST /models/pull)`);
      }
      const task =
        state === "pulling"
          ? ({ kind: "pull", model: name, load: true } as const)
          : ({ kind: "load", model: name } as const);
      return reply.code(202).send({ task_id: await tasks.submit(task, { owner: ownerOf(caller) }) });
    },
  );

  server.delete(
    "/models/*",
    {
      config: { scope: "operate", describedUrl: "/models/:model" },
      schema: {
        tags: ["models"],
        summary: "Free a model's memory, and with purge its disk",
        operationId: "unloadModel",
        params,
        querystring: z.strictObject({
          purge: z.enum(["true", "false"]).default("false").meta({ description: "Delete it from disk as well" }),
          force: z
            .enum(["true", "false"])
            .default("false")
            .meta({ description: "Delete it also where it is pinned; without this, that is refused with 409" }),
        }),
        response: { 200: modelSchema, ...problems(400, 401, 403, 404, 409, 422, 429, 502, 503, 504) },
      },
    },
    async (request) => {
      const name = parseModelName(request.params["*"], rules);
      const { purge, force } = request.query;
      if (purge === "true") {
        await fleet.purge(name, { force: force === "true" }, request.deadline);
      } else {
        await fleet.unload(name, request.deadline);
      }
      return modelJson(await fleet.model(name, request.deadline));
    },
  );
}

/** @throws UnknownWorker */
export function knownWorker(config: Surroundings["config"], worker: string): void {
  const names = config.workers.map(({ name }) => name);
  if (!names.includes(worker)) {
    throw new UnknownWorker(`there is no worker ${JSON.stringify(worker)}; there are: ${names.join(", ")}`);
  }
}

function modelJson({ model, state, pinned, placements }: ModelReport): z.output<typeof modelSchema> {
  return {
    model,
    state,
    pinned,
    placements: placements.map((placement) => ({
      worker: placement.worker,
      state: placement.state,
      disk_bytes: placement.diskBytes,
      memory_bytes: placement.memoryBytes,
      last_used: placement.lastUsed?.toISOString(),
      ...leaveJson(placement.leave),
    })),
  };
}

function leaveJson(leave: Leave | undefined): { readonly unloads_at?: string; readonly stays?: Stays } {
  if (leave === undefined) {
    return {};
  }
  return "stays" in leave ? leave : { unloads_at: leave.unloadsAt.toISOString() };
}
