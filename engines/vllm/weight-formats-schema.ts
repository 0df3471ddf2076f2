import { z } from "zod";
import type { CacheDtype, CheckpointMethod, WeightKind } from "./weight-formats";

// Schema of weight-formats.json. Tests apply it; the program trusts the file and starts without it.

const text = z.string().trim().min(1);
const positive = z.number().positive();
const gfx = z.string().regex(/^gfx[0-9a-f]+$/);
const processor = z.enum(["any", "avx512", "amx", "unproven"]);
const cpu = z.strictObject({ amd64: processor.optional(), arm64: processor.optional() }).optional();
const cardNeeds = {
  computeCapability: positive.optional(),
  gfx: z.array(gfx).optional(),
  unproven: z.array(gfx).optional(),
};

const weightKind = z.strictObject({
  weights: text,
  madeAtLoad: z.array(text),
  declared: z.array(text),
  native: z.enum(["fp8", "mxfp4", "nvfp4"]).optional(),
  ...cardNeeds,
  cpu,
  cpuExperts: cpu,
  removed: text.optional(),
  source: text,
}) satisfies z.ZodType<WeightKind>;

const checkpointMethod = z.strictObject({
  method: text,
  weights: z.array(text).nonempty().optional(),
  ...cardNeeds,
  flag: text.optional(),
  source: text,
}) satisfies z.ZodType<CheckpointMethod>;

const cacheDtype = z.strictObject({
  dtype: text,
  ...cardNeeds,
  latentComputeCapability: positive.optional(),
  cpu,
  source: text,
}) satisfies z.ZodType<CacheDtype>;

export const weightFormatsSchema = z.strictObject({
  about: text,
  engine: z.literal("vllm"),
  version: text,
  source: text,
  asOf: z.iso.date(),
  formats: z.array(weightKind),
  methods: z.array(checkpointMethod),
  kvCache: z.array(cacheDtype),
  noFloat16: z.array(text),
});
