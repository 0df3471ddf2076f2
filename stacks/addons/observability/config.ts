import { z } from "zod";
import { wholeNumber } from "../../config/core/sections/fields";

export const observabilitySection = z
  .strictObject({
    profile: z.enum(["light", "full"]).default("full").meta({
      description:
        "Size of the metrics stack. light: one small replica of each part; full: redundant, for shared platforms.",
      example: "light",
    }),
    retentionDays: wholeNumber(1, 730)
      .default(15)
      .meta({ description: "How long metrics are kept.", unit: "days", example: 15 }),
    storageGiB: wholeNumber(1, 65_536)
      .default(50)
      .meta({ description: "Volume of the metrics.", unit: "GiB", example: 50 }),
  })
  .prefault({})
  .meta({ description: "Metrics, dashboards and alerts.", example: { profile: "light" } });

export type ObservabilityConfig = z.output<typeof observabilitySection>;

export const observabilitySecrets = {
  alertWebhookUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: "Where alerts are posted.", allowed: "an http:// or https:// URL" }),
};

export type ObservabilitySecret = keyof typeof observabilitySecrets;
