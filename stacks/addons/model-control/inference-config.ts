import { z } from "zod";
import { dnsLabel, wholeNumber } from "../../config/core/sections/fields";

const DAY_SECONDS = 24 * 3600;
const WEEK_SECONDS = 7 * DAY_SECONDS;

/** Per answer: default and maximum of a request. */
function allowance(what: string, unit: string, usual: number, most: number, bound: number) {
  const number = wholeNumber(1, bound);
  return z
    .strictObject({
      default: number
        .default(usual)
        .meta({ description: `${what} where a request does not say.`, unit, example: usual }),
      max: number.default(most).meta({ description: `${what} that a request may ask for.`, unit, example: most }),
    })
    .prefault({});
}

/** Limits of the API's own configuration, sized for a small queue server. */
export const inferenceSchema = z
  .strictObject({
    enabled: z.boolean().default(false).meta({
      description:
        "Whether programs may hand in prompts and collect the answers later. Prompts and answers lie encrypted in the task queue for a time.",
      example: true,
    }),
    keys: z
      .array(dnsLabel(32))
      .min(1)
      .max(10)
      .default(["first"])
      .meta({
        description:
          "Names of the random keys that prompts and answers are encrypted with; each is made when its name is new, and stays. The first one encrypts, all decrypt.",
        example: ["second", "first"],
      }),
    fetch: z.boolean().default(true).meta({
      description:
        "Whether tokens for inference may also have models fetched, of allowedRegistries. Those of consumers with models never may.",
      example: false,
    }),
    concurrency: wholeNumber(1, 256).default(4).meta({
      description:
        "Answers at the same time, over all replicas of the API: about as many as the engines write at once. One of them is kept for other callers, where there are several.",
      unit: "answers",
      example: 8,
    }),
    keepSeconds: wholeNumber(1, WEEK_SECONDS).default(3600).meta({
      description: "How long an answer is kept after its end.",
      unit: "seconds",
      example: 600,
    }),
    lifeSeconds: wholeNumber(60, WEEK_SECONDS).default(DAY_SECONDS).meta({
      description: "A task that has not ended by then is forgotten, and its prompts with it.",
      unit: "seconds",
      example: DAY_SECONDS,
    }),
    tokens: allowance("Longest answer", "tokens", 500, 8192, 1024 * 1024).meta({
      description: "Longest answer.",
      example: { default: 500, max: 2000 },
    }),
    answerSeconds: allowance("Longest time for one answer", "seconds", 120, 600, DAY_SECONDS).meta({
      description: "Longest time for one answer, from the moment that the engine is asked.",
      example: { default: 120, max: 600 },
    }),
    silentSeconds: wholeNumber(1, DAY_SECONDS).default(30).meta({
      description: "An engine that began an answer, and is silent for this long, is cut off.",
      unit: "seconds",
      example: 30,
    }),
    attempts: wholeNumber(1, 20).default(3).meta({
      description: "How often a prompt is put to an engine in all; after the first token of an answer never again.",
      unit: "attempts",
      example: 3,
    }),
    promptKiB: wholeNumber(1, 65_536).default(256).meta({
      description: "Largest request, with all of its prompts.",
      unit: "KiB",
      example: 1024,
    }),
    prompts: wholeNumber(1, 10_000).default(100).meta({
      description: "Prompts of one request.",
      unit: "prompts",
      example: 20,
    }),
    answerKiB: wholeNumber(1, 16_384).default(64).meta({
      description: "Largest answer.",
      unit: "KiB",
      example: 256,
    }),
    queuedPerCaller: wholeNumber(1, 100_000).default(100).meta({
      description: "Unfinished tasks of one caller; one more is refused with 429.",
      unit: "tasks",
      example: 50,
    }),
    queued: wholeNumber(1, 100_000).default(400).meta({
      description:
        "Unfinished tasks of all callers; one more is refused with 503. Memory and volume of the task queue follow from it and from promptKiB: a larger volume is a new, empty one, and unfinished tasks are lost with the old one.",
      unit: "tasks",
      example: 2000,
    }),
    wait: z
      .strictObject({
        polls: wholeNumber(1, 100_000)
          .default(60)
          .meta({ description: "How often a task looks whether its model is loaded.", unit: "looks", example: 120 }),
        seconds: wholeNumber(1, 3600).default(5).meta({
          description: "Time between two looks.",
          unit: "seconds",
          example: 5,
        }),
      })
      .prefault({})
      .meta({
        description: "How often, and after how long each time, a task looks whether its model is loaded by now.",
        example: { polls: 120, seconds: 5 },
      }),
    drainSeconds: wholeNumber(1, 600).default(30).meta({
      description:
        "What answers that have begun have for their end when a replica of the API leaves. Its pods get 20 seconds more.",
      unit: "seconds",
      example: 60,
    }),
  })
  .prefault({})
  .meta({
    description: "Answers that are collected later (POST /inference).",
    example: { enabled: true, queued: 2000 },
  });

export type InferenceConfig = z.output<typeof inferenceSchema>;

const idleSeconds = wholeNumber(1, WEEK_SECONDS);
const idleTime = z
  .union([idleSeconds.meta({ description: "Time without use.", unit: "seconds", example: 3600 }), z.literal("never")])
  .meta({ allowed: `seconds from 1 to ${WEEK_SECONDS}, or never`, example: 3600 });

/** @param name a model as its registry, or the environment, names it. */
export function idleSchema(name: z.ZodString) {
  return z
    .strictObject({
      seconds: idleSeconds.optional().meta({
        description:
          "Time without use after which a model that is not planned leaves memory. Planned models stay. Default: never.",
        unit: "seconds",
        example: 900,
      }),
      models: z
        .record(name, idleTime)
        .default({})
        .meta({
          description:
            "The same of single models: planned ones by their name here, others by that of their registry. A planned model with a time is not pinned: it is unloaded when idle, or for another model, and stays on disk.",
          example: { "llama3.2:1b": 3600, "qwen3:8b": "never" },
        }),
    })
    .prefault({})
    .meta({
      description: "When idle models are unloaded.",
      example: { seconds: 900 },
    });
}
