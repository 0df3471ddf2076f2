/** Schemas of engine responses: a faulty or hostile engine may send anything. */
import { z } from "zod";
import { LONGEST_MODEL_NAME } from "../model-name";

/** Above any engine's model count. */
const LONGEST_LIST = 2_000;

export const engineName = z.string().min(1).max(LONGEST_MODEL_NAME);

/** Bytes of a model, at most 4 TiB: keeps sums over a list safe integers. */
export const engineBytes = z
  .int()
  .min(0)
  .max(2 ** 42);

/** Version, state or time. */
export const shortText = z.string().max(100);

/** Optional list; checks its length before its entries. */
export function listOf<T>(entry: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .max(LONGEST_LIST)
    .nullish()
    .transform((entries) => entries ?? [])
    .pipe(z.array(entry));
}

export const tokenCount = z
  .int()
  .min(0)
  .max(2 ** 32);
