import { z } from "zod";
import { PERCENTILES, type Percentile, type ServiceLevel } from "../../../../planner/service-level";

/** Of what the times are when none is named: the tail, which users notice. */
const USUAL_PERCENTILE: Percentile = 99;

export const serviceLevelSchema = z
  .strictObject({
    availability: z.number().min(0.9).max(0.99999).optional().meta({
      description: "Part of the requests that are to be answered without an error of the server, over 30 days.",
      unit: "fraction of requests",
      example: 0.999,
    }),
    ttftMs: z.number().min(1).max(600_000).optional().meta({
      description: "Longest time to the first token of an answer.",
      unit: "ms",
      example: 500,
    }),
    tpotMs: z.number().min(0.1).max(10_000).optional().meta({
      description: "Longest time for each further token, on average over an answer.",
      unit: "ms",
      example: 50,
    }),
    percentile: z
      .literal(PERCENTILES)
      .optional()
      .meta({
        description: `How many of the requests must keep to ttftMs and tpotMs. Default: ${USUAL_PERCENTILE}.`,
        unit: "percent of requests",
        example: 99,
      }),
  })
  .transform(
    (level): ServiceLevel => ({
      ...level,
      ...(hasTimes(level) && { percentile: level.percentile ?? USUAL_PERCENTILE }),
    }),
  )
  .optional()
  .meta({
    description:
      "What clients are to expect of the model. Checked and written into the plan only: nothing is sized, alerted on or promised from it yet.",
    example: { availability: 0.999, ttftMs: 500, tpotMs: 50, percentile: 99 },
  });

export function hasTimes({ ttftMs, tpotMs }: Pick<ServiceLevel, "ttftMs" | "tpotMs">): boolean {
  return ttftMs !== undefined || tpotMs !== undefined;
}
