import { z } from "zod";
import { url, wholeNumber } from "../../config/core/sections/fields";
import { alertSecrets, alertsField } from "./alerts-config";

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
    alerts: alertsField,
    runbookUrl: url({ protocol: /^https?$/ })
      .optional()
      .meta({
        description:
          "URL of docs/operations.md where on-call engineers can open it: links in alerts and dashboards lead to its entries. Default: the path in the repository.",
        allowed: "an http:// or https:// URL",
        example: "https://git.example.com/platform/inference-stacks/blob/main/docs/operations.md",
      }),
  })
  .prefault({})
  .meta({ description: "Metrics, dashboards and alerts.", example: { profile: "light" } });

export type ObservabilityConfig = z.output<typeof observabilitySection>;

export const observabilitySecrets = alertSecrets;

export type ObservabilitySecret = keyof typeof observabilitySecrets;
