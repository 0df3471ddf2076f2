import { z } from "zod";
import { authorize, authorizeModel } from "../auth/callers";
import type { GenerationInput } from "../backends/generation";
import { nameRules } from "../config";
import { type InferenceReport, type ItemReport, requireWithin } from "../inference/inferences";
import { isProblem, PROBLEMS } from "../inference/problems";
import { parseModelName } from "../model-name";
import { idempotencyHeader, inferenceBody, inferenceSchema, untilFirstBad } from "./inference-schemas";
import { acceptedSchema, modelNameSchema, problems } from "./schemas";
import type { Server, Surroundings } from "./surroundings";
import { taskJson } from "./tasks";

const params = z.object({ id: z.string().max(100).meta({ description: "As the request that made it answered" }) });

export function inferenceRoutes(server: Server, { config, inferences }: Surroundings): void {
  const { inference } = config;
  if (inference === undefined || inferences === undefined) {
    return;
  }
  const rules = nameRules(config);
  const body = inferenceBody(modelNameSchema(rules), inference);

  server.post(
    "/inference",
    {
      config: { scope: "infer" },
      bodyLimit: inference.promptBytes,
      // Checking a million prompts would block all other requests.
      preValidation: async (request) => {
        requireWithin(inference, { inputs: { length: batchSize(request.body) } });
        request.body = untilFirstBad(request.body) as typeof request.body;
      },
      schema: {
        tags: ["inference"],
        summary: "Have a model answer one prompt, or a batch of them",
        description:
          "Creates a task, which has the model pulled, loaded or woken if needed. Only the token that asked, and tokens of " +
          "its tenant, can read it. Prompts and answers are encrypted at rest, and never logged.",
        operationId: "infer",
        headers: idempotencyHeader,
        body,
        response: { 202: acceptedSchema, ...problems(400, 401, 403, 413, 415, 422, 429, 503) },
      },
    },
    async ({ body, headers, caller }, reply) => {
      authorize(caller, "infer");
      const model = parseModelName(body.model, rules);
      authorizeModel(caller, model);
      const { max_tokens: maxTokens, seconds, top_p: topP, temperature, seed, stop } = body.options ?? {};
      const id = await inferences.submit(caller, {
        model,
        inputs: inputsOf(body),
        maxTokens,
        seconds,
        sampling: { temperature, topP, seed, stop },
        idempotencyKey: headers["idempotency-key"],
      });
      return reply.code(202).header("location", `/inference/${id}`).send({ task_id: id });
    },
  );

  server.get(
    "/inference/:id",
    {
      config: { scope: "infer" },
      schema: {
        tags: ["inference"],
        summary: "The answers, as far as they are there",
        operationId: "getInference",
        params,
        response: { 200: inferenceSchema, ...problems(400, 401, 403, 404, 429, 503) },
      },
    },
    async ({ params: { id }, caller }) => inferenceJson(await inferences.find(caller, id)),
  );

  server.delete(
    "/inference/:id",
    {
      config: { scope: "infer" },
      schema: {
        tags: ["inference"],
        summary: "Delete prompts and answers now; what runs is cancelled",
        operationId: "forgetInference",
        params,
        response: { 204: z.null().meta({ description: "They are gone" }), ...problems(400, 401, 403, 404, 429, 503) },
      },
    },
    async ({ params: { id }, caller }, reply) => {
      await inferences.forget(caller, id);
      return reply.code(204).send(null);
    },
  );
}

/** Number of prompts in an unchecked body; 1 unless it is a batch. */
function batchSize(body: unknown): number {
  const { prompt, messages } = Object(body) as Readonly<Record<string, unknown>>;
  const isBatch = (list: unknown): list is readonly unknown[] => Array.isArray(list) && list.length > 0;
  if (isBatch(prompt)) {
    return prompt.length;
  }
  return isBatch(messages) && Array.isArray(messages[0]) ? messages.length : 1;
}

type Body = z.output<ReturnType<typeof inferenceBody>>;

function inputsOf({ messages, prompt }: Pick<Body, "messages" | "prompt">): readonly GenerationInput[] {
  if (messages !== undefined) {
    const batch = messages.filter((one) => Array.isArray(one));
    const alone = messages.flatMap((one) => (Array.isArray(one) ? [] : [one]));
    return batch.length > 0 ? batch.map((one) => ({ messages: one })) : [{ messages: alone }];
  }
  return (typeof prompt === "string" ? [prompt] : (prompt ?? [])).map((one) => ({ prompt: one }));
}

function inferenceJson({ report, items, step, error, expiresAt }: InferenceReport): z.output<typeof inferenceSchema> {
  return {
    ...taskJson(report),
    step,
    error,
    expires_at: expiresAt.toISOString(),
    items: items.map((item, index) => itemJson(item, index, report.createdAt.getTime())),
  };
}

function itemJson(item: ItemReport, index: number, createdAt: number) {
  const { startedAt, firstTokenAt, endedAt, problem } = item;
  return {
    index,
    state: item.state,
    text: item.text,
    finish_reason: item.finishReason,
    prompt_tokens: item.promptTokens,
    completion_tokens: item.completionTokens,
    attempts: item.attempts,
    worker: item.worker,
    waited_seconds: secondsBetween(createdAt, startedAt),
    first_token_seconds: secondsBetween(startedAt, firstTokenAt),
    seconds: secondsBetween(startedAt, endedAt),
    error:
      problem === undefined
        ? undefined
        : { code: problem, detail: item.detail ?? (isProblem(problem) ? PROBLEMS[problem] : problem) },
  };
}

function secondsBetween(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from) / 1000;
}
