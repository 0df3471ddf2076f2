import { z } from "zod";
import { type EngineOptions, MODEL_TRAITS } from "../engine-options";
import type { ModelEntry } from "../models";
import { about, count, day, positive, text } from "./fields";

const modelEntry = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+([.-][a-z0-9]+)*$/),
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  license: text,
  gated: z.boolean(),
  task: z.enum(["chat", "completion", "embedding", "rerank"]),
  configPath: z.string().regex(/^catalog\/models\/[^/]+\/config\.json$/),
  builds: z
    .record(
      z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
      z
        .array(
          z.strictObject({
            tag: z.string().regex(/^[\w.-]+:[\w.-]+$/),
            quantization: text,
            fileBytes: count,
            source: text,
          }),
        )
        .nonempty(),
    )
    .optional(),
  source: text,
  asOf: day,
  notes: text.optional(),
}) satisfies z.ZodType<ModelEntry>;

const choices = z.array(text).nonempty().optional();

const engineOptions = z.strictObject({
  about: text,
  record: z.string().regex(/^test\/fixtures\/upstream\/[\w.-]+\.json$/),
  engine: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  version: z.string().regex(/^\d+(\.\d+){1,2}$/),
  source: text,
  asOf: day,
  arguments: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
      kind: z.enum(["switch", "integer", "number", "text", "json", "list"]),
      assigned: z.boolean().optional(),
      negation: text.optional(),
      aliases: z.array(text).optional(),
      suffix: z.boolean().optional(),
      choices,
      open: z.boolean().optional(),
    }),
  ),
  environment: z.array(
    z.strictObject({
      name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
      kind: z.enum(["switch", "integer", "number", "text"]),
      choices,
    }),
  ),
}) satisfies z.ZodType<EngineOptions>;

const release = z.string().regex(/^\d+(\.\d+){1,3}(\.post\d+)?$/);
const releaseOptions = z.array(z.strictObject({ name: text, since: release.optional(), until: release.optional() }));

const engineReleases = z.strictObject({
  about: text,
  engine: z.string().regex(/^[a-z0-9]+$/),
  asOf: day,
  source: text,
  releases: z.array(release).nonempty(),
  arguments: releaseOptions,
  environment: releaseOptions,
  values: z.record(text, releaseOptions).optional(),
  classes: z
    .strictObject({
      about: text,
      asOf: day,
      source: text,
      since: release,
      generating: z.array(text).nonempty(),
      pooling: z.array(text).nonempty(),
      own: releaseOptions,
      ofTransformers: releaseOptions,
    })
    .optional(),
});

const remarks = z.record(text, text);

const optionRules = z.strictObject({
  settings: remarks,
  refused: remarks,
  memory: remarks,
  texts: remarks.optional(),
  advice: remarks,
  writesText: remarks.optional(),
  former: remarks.optional(),
  concerns: z.partialRecord(z.enum(MODEL_TRAITS), z.array(text).min(1)).optional(),
});

/** Models, the engines that serve them, and what others ask for them. */
export const models = {
  models: z.strictObject({ about, models: z.array(modelEntry) }),
  apiPrices: z.strictObject({
    about,
    asOf: day,
    source: text,
    prices: z.array(
      z.strictObject({
        model: text,
        provider: text,
        offer: text,
        inputUsdPerMillion: positive,
        outputUsdPerMillion: positive,
      }),
    ),
  }),
  engineOptions,
  engineReleases,
  engineRules: z.strictObject({ about, arguments: optionRules, environment: optionRules }),
};
