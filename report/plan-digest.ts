/** The part of `plan --json` that a review needs; it parses as such. */
import { z } from "zod";

const model = z.object({
  name: z.string(),
  engine: z.string(),
  engineVersion: z.string().optional(),
  pool: z.string(),
  format: z.string(),
  contextTokens: z.number(),
  concurrency: z.number(),
  minReplicas: z.number(),
  maxReplicas: z.number(),
});

const pool = z.object({ name: z.string(), shape: z.string(), minNodes: z.number(), maxNodes: z.number() });

export const planDigest = z.object({
  models: z.array(model),
  pools: z.array(pool),
  cost: z.object({ monthlyUsd: z.number(), maxMonthlyUsd: z.number() }),
});
export type PlanDigest = z.output<typeof planDigest>;
