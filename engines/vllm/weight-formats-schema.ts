import { z } from "zod";
import type { CacheDtype, CheckpointMethod, WeightKind } from "./weight-formats";

// Schema of weight-formats.json, applied by tests only.

const text = z.string().trim().min(1);
const processor = z.enum(["any", "avx512", "amx", "unproven"]);
const cpu = z.strictObject({ amd64: processor.optional(), arm64: processor.optional() }).optional();

const weightKind = z.strictObject({
  weights: text,
  madeAtLoad: z.array(text),
  declared: z.array(text),
  native: z.enum(["fp8", "mxfp4", "nvfp4"]).optional(),
  cpu,
  cpuExperts: cpu,
  source: text,
}) satisfies z.ZodType<WeightKind>;

const checkpointMethod = z.strictObject({
  method: text,
  flag: text,
  source: text,
}) satisfies z.ZodType<CheckpointMethod>;

const cacheDtype = z.strictObject({
  dtype: text,
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
