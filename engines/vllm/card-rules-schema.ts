import { z } from "zod";
import type { AttentionRule, BuildRule, CacheRule, WeightRule } from "./card-rules";

// Schema of card-rules.json, applied by tests only.

const text = z.string().trim().min(1);
const positive = z.number().positive();
const version = z.string().regex(/^\d+\.\d+\.\d+(\.\d+|\.post\d+)?$/);
const gfx = z.string().regex(/^gfx[0-9a-f]+$/);

const rows = z
  .array(
    z.strictObject({
      since: version.optional(),
      until: version.optional(),
      computeCapability: positive.optional(),
      below: positive.optional(),
      gfx: z.array(gfx).optional(),
      unproven: z.array(gfx).optional(),
      amdDtype: z.enum(["float32", "float16", "bfloat16"]).optional(),
    }),
  )
  .nonempty();

const build = z.strictObject({
  vendor: z.enum(["nvidia", "amd"]),
  rows,
  source: text,
}) satisfies z.ZodType<BuildRule>;

const weights = z.strictObject({
  weights: z.array(text).nonempty(),
  method: text.optional(),
  experts: z.literal(true).optional(),
  madeAtLoad: z.literal(true).optional(),
  rows,
  source: text,
}) satisfies z.ZodType<WeightRule>;

const cache = z.strictObject({
  dtype: text,
  latent: z.literal(true).optional(),
  rows,
  source: text,
}) satisfies z.ZodType<CacheRule>;

const attention = z.strictObject({ mixer: text, rows, source: text }) satisfies z.ZodType<AttentionRule>;

export const cardRulesSchema = z.strictObject({
  about: text,
  engine: z.literal("vllm"),
  asOf: z.iso.date(),
  source: text,
  releases: z.strictObject({ since: version, until: version }),
  builds: z.array(build),
  weights: z.array(weights),
  kvCache: z.array(cache),
  attention: z.array(attention),
});
