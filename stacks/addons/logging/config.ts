import { z } from "zod";
import { wholeNumber } from "../../config/core/sections/fields";

export const loggingSection = z
  .strictObject({
    retentionDays: wholeNumber(1, 365)
      .default(7)
      .meta({ description: "How long Loki keeps log lines.", unit: "days", example: 30 }),
    storageGiB: wholeNumber(5, 16_384).default(50).meta({
      description:
        "Volume of Loki. With retentionDays it limits the lines that Loki takes in a second, so that the volume cannot fill.",
      unit: "GiB",
      example: 100,
    }),
  })
  .optional()
  .meta({
    description: "Logs of the platform's pods in Loki, found by request and trace. Default: not installed.",
    example: { retentionDays: 14 },
  });

export type LoggingConfig = NonNullable<z.output<typeof loggingSection>>;
