import { z } from "zod";
import { wholeNumber } from "./fields";

export const replicasFields = z
  .strictObject({
    min: wholeNumber(0, 1000).default(1).meta({
      description: "Replicas that always run. 0: the model scales to zero without requests.",
      unit: "replicas",
      example: 1,
    }),
    max: wholeNumber(1, 1000).optional().meta({
      description:
        "Replicas that may run when demand asks for them: pools and quotas leave room for them. Default: min, and at least 1.",
      unit: "replicas",
      example: 3,
    }),
  })
  .transform(({ min, max }) => ({ min, max: max ?? Math.max(1, min) }));

/** With a default of one. */
export const replicasSchema = replicasFields
  .prefault({})
  .meta({ description: "How many copies of the model run.", example: { min: 1, max: 3 } });
