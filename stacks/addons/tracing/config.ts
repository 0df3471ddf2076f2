import { z } from "zod";
import { wholeNumber } from "../../config/core/sections/fields";
import { outsideFields } from "../../config/core/sections/outside-fields";

export const tracingSection = z
  .strictObject({
    samplingPercent: z.number().gt(0).max(100).optional().meta({
      description:
        "Share of traces that are kept, chosen by their ids. Traces with an error are always kept. Default: 100 in development, 10 in production.",
      unit: "percent",
      allowed: "a number above 0, at most 100",
      example: 5,
    }),
    slowSeconds: z.number().gt(0).max(3600).optional().meta({
      description: "Traces of requests that took longer are always kept. Default: none is kept for its time.",
      unit: "seconds",
      allowed: "a number above 0, at most 3600",
      example: 30,
    }),
    retentionDays: wholeNumber(1, 365)
      .default(7)
      .meta({ description: "How long Jaeger keeps traces.", unit: "days", example: 3 }),
    storageGiB: wholeNumber(1, 16_384).default(20).meta({ description: "Volume of Jaeger.", unit: "GiB", example: 20 }),
    endpoint: z
      .strictObject(
        outsideFields({
          description: "Server that takes OTLP over HTTP, without /v1/traces.",
          example: "https://otlp.example.com",
        }),
      )
      .optional()
      .meta({
        description:
          "Server outside of the cluster that keeps the traces; its token, where it asks for one, is tracingToken. Default: Jaeger in the cluster.",
        example: { url: "https://otlp.example.com" },
      }),
  })
  .optional()
  .meta({
    description:
      "Traces of requests through gateway, server groups, engines and model control, kept by Jaeger. Default: not installed.",
    example: { samplingPercent: 5 },
  });

export type TracingConfig = NonNullable<z.output<typeof tracingSection>>;

export const tracingSecrets = {
  tracingToken: z.string().regex(/^\S+$/).optional().meta({
    description: "Token of tracing.endpoint, sent as Authorization: Bearer. Default: none is sent.",
    allowed: "text without spaces",
  }),
};

export type TracingSecret = keyof typeof tracingSecrets;
