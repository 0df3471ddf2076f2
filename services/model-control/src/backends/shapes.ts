/** The shapes of what engines answer. A sick or hostile one may answer anything: nothing is used before it was checked. */
import { z } from "zod";
import { LONGEST_MODEL_NAME } from "../model-name";

/** More than any engine holds. */
const LONGEST_LIST = 2_000;

/** A model's name as an engine spells it. */
export const engineName = z.string().min(1).max(LONGEST_MODEL_NAME);

/** Bytes of one model, at most 4 TiB: the sum over a list stays a whole number. */
export const engineBytes = z
  .int()
  .min(0)
  .max(2 ** 42);

/** A version, a state, a time. */
export const shortText = z.string().max(100);

/** A list that engines may leave out; each of its entries is looked at only when there are not too many. */
export function listOf<T>(entry: z.ZodType<T>) {
  return z
    .array(z.unknown())
    .max(LONGEST_LIST)
    .nullish()
    .transform((entries) => entries ?? [])
    .pipe(z.array(entry));
}

/** Tokens of a prompt or an answer. */
export const tokenCount = z
  .int()
  .min(0)
  .max(2 ** 32);
