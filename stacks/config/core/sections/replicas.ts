import { z } from "zod";
import { wholeNumber } from "./fields";

/** How many copies of a model run. */
export const replicasFields = z
  .strictObject({
    min: wholeNumber(1, 1000)
      .default(1)
      .meta({ description: "Replicas that always run.", unit: "replicas", example: 1 }),
    max: wholeNumber(1, 1000).optional().meta({
      description:
        "Replicas that an autoscaler of yours may go up to: quotas leave room for them; none is installed. Default: min.",
      unit: "replicas",
      example: 3,
    }),
  })
  .transform(({ min, max }) => ({ min, max: max ?? min }));

/** The same where one runs if nothing is said. */
export const replicasSchema = replicasFields
  .prefault({})
  .meta({ description: "How many copies of the model run.", example: { min: 1, max: 3 } });
