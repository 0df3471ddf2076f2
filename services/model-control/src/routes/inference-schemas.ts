import { z } from "zod";
import { ROLES } from "../backends/generation";
import type { InferenceConfig } from "../config";
import { FINISH_REASONS, ITEM_STATES } from "../inference/record";
import { taskSchema } from "./schemas";

const message = z.strictObject({ role: z.enum(ROLES), content: z.string().min(1) });
const conversation = z.array(message).min(1);
const prompt = z.string().min(1);
/** Message for a wrong type. Omits the value: errors must not contain prompts. */
const NO_CONVERSATIONS =
  `a conversation, which is a list of {"role", "content"}, or a list of conversations; a role is one of ${ROLES.join(", ")}, ` +
  "a content is a text; no text or list may be empty, and other fields are not allowed";
const NO_PROMPTS = "a text, or a list of texts; no text or list is empty";
/** Maximum number of stop sequences. */
const MOST_STOPS = 4;

const FIELDS: readonly string[] = ["model", "prompt", "messages", "options"];

/**
 * Cuts an unchecked body after the first invalid list entry and unknown field: a million would
 * produce as many problems in memory. Leaves valid content unchanged.
 */
export function untilFirstBad(body: unknown): unknown {
  if (typeof body !== "object" || body === null) {
    return body;
  }
  const { model, prompt: prompts, messages, options } = body as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  const { stop } = Object(options) as { readonly stop?: unknown };
  return {
    model,
    prompt: Array.isArray(prompts) ? cut(prompts, prompt) : prompts,
    messages: Array.isArray(messages) ? cutMessages(messages) : messages,
    options: Array.isArray(stop) ? { ...Object(options), stop: stop.slice(0, MOST_STOPS + 1) } : options,
    ...(unknown === undefined ? {} : { [unknown]: null }),
  };
}

/** The valid list, or its first invalid entry. */
function cut(list: readonly unknown[], entry: z.ZodType): readonly unknown[] {
  const bad = list.findIndex((one) => !entry.safeParse(one).success);
  return bad === -1 ? list : [list[bad]];
}

function cutMessages(messages: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(messages[0])) {
    return cut(messages, message);
  }
  for (const one of messages) {
    const kept = Array.isArray(one) ? cut(one, message) : undefined;
    if (kept !== one) {
      return [kept ?? one];
    }
  }
  return messages;
}

/** Schema of a request. `Inferences` answers 422 for values above configured limits. */
export function inferenceBody<T extends z.ZodType<string>>(model: T, config: InferenceConfig) {
  const { tokens, seconds, prompts } = config;
  return z
    .strictObject({
      model,
      messages: z
        .union([conversation, z.array(conversation).min(1)], { error: NO_CONVERSATIONS })
        .optional()
        .meta({ description: `A conversation; or a list of conversations, which are one batch (${prompts} at most)` }),
      prompt: z
        .union([prompt, z.array(prompt).min(1)], { error: NO_PROMPTS })
        .optional()
        .meta({
          description: `Instead of messages: what the engine's own completion takes; or a list (${prompts} at most)`,
        }),
      options: z
        .strictObject({
          max_tokens: z
            .int()
            .min(1)
            .max(1024 * 1024)
            .optional()
            .meta({ description: `Of each answer; ${tokens.default} where it is not given, ${tokens.max} at most` }),
          seconds: z
            .int()
            .min(1)
            .max(24 * 3600)
            .optional()
            .meta({ description: `For each answer; ${seconds.default} where it is not given, ${seconds.max} at most` }),
          temperature: z.number().min(0).max(2).optional(),
          top_p: z.number().gt(0).max(1).optional(),
          seed: z
            .int()
            .min(0)
            .max(2 ** 31 - 1)
            .optional(),
          stop: z.array(z.string().min(1).max(100)).min(1).max(MOST_STOPS).optional(),
        })
        .optional(),
    })
    .refine(
      (body) => (body.messages === undefined) !== (body.prompt === undefined),
      'either "messages" or "prompt", and not both',
    )
    .meta({ oneOf: [{ required: ["messages"] }, { required: ["prompt"] }] });
}

export const idempotencyHeader = z.object({
  "idempotency-key": z
    .string()
    .min(1)
    .max(255)
    // Characters valid in headers and without special meaning.
    .regex(/^[A-Za-z0-9._~:/+=-]+$/, "letters, digits, and . _ ~ : / + = -")
    .optional()
    .meta({ description: "The same key with the same request finds the same task, as long as it is kept" }),
});

const time = z.iso.datetime();

export const inferenceSchema = taskSchema
  .extend({
    expires_at: time.meta({ description: "When it is forgotten" }),
    items: z.array(
      z.object({
        index: z.int().min(0),
        state: z.enum(ITEM_STATES),
        text: z.string().optional().meta({ description: "What came by now, or in all; absent before the first token" }),
        finish_reason: z
          .enum(FINISH_REASONS)
          .optional()
          .meta({
            description:
              "stop and length are the engine's own. time_limit, size_limit and length: cut off there, and good as far as it goes. " +
              "idle and interrupted: the engine, or the process, broke off, and what came is kept. error: there is no answer",
          }),
        prompt_tokens: z.number().optional(),
        completion_tokens: z.number().optional(),
        attempts: z.int().min(0),
        worker: z.string().optional(),
        waited_seconds: z.number().optional().meta({ description: "From the request to the engine" }),
        first_token_seconds: z.number().optional().meta({ description: "From there to the first token" }),
        seconds: z.number().optional().meta({ description: "From there to the end" }),
        error: z.object({ code: z.string(), detail: z.string() }).optional(),
      }),
    ),
  })
  .meta({ id: "Inference" });
