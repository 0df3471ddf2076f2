import { z } from "zod";
import { hasTimes, PERCENTILES, type ServiceLevel, USUAL_PERCENTILE } from "../../../../planner/service-level";

/** Default: the band that predictions are tested by. */
export const USUAL_CONFIDENCE = 0.8;

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
    tokensPerSecond: z.number().min(0.1).max(10_000).optional().meta({
      description: "Fewest tokens that each answer gets in a second after its first: another way to say tpotMs.",
      unit: "tokens/s",
      example: 20,
    }),
    percentile: z
      .literal(PERCENTILES)
      .optional()
      .meta({
        description: `How many of the requests must keep to ttftMs, tpotMs and tokensPerSecond. Default: ${USUAL_PERCENTILE}.`,
        unit: "percent of requests",
        example: 99,
      }),
    confidence: z
      .number()
      .min(0.5)
      .max(0.99)
      .optional()
      .meta({
        description: `How sure the plan must be of the times before it keeps to them: predictions have an error, and their worse edge at this confidence decides. Default: ${USUAL_CONFIDENCE}.`,
        unit: "fraction",
        example: USUAL_CONFIDENCE,
      }),
  })
  .transform(
    (level): ServiceLevel => ({
      ...level,
      ...(hasTimes(level) && {
        percentile: level.percentile ?? USUAL_PERCENTILE,
        confidence: level.confidence ?? USUAL_CONFIDENCE,
      }),
    }),
  )
  .optional()
  .meta({
    description: "What clients are to expect of the model. Its times are planned for where the model has traffic.",
    example: { availability: 0.999, ttftMs: 500, tpotMs: 50, percentile: 99 },
  });
