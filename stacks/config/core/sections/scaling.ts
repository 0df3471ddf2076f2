import { z } from "zod";
import { AUTOSCALERS, SCALING_SIGNALS, type ScalingRequest } from "../../../../planner/scaling";
import { text, wholeNumber } from "./fields";

const percent = (description: string) =>
  wholeNumber(1, 100).optional().meta({ description, unit: "percent", example: 75 });

const targetsSchema = z
  .strictObject({
    queue: wholeNumber(1, 4096).optional().meta({
      description: "Requests that may wait per replica. Default: from its concurrency.",
      unit: "requests per replica",
      example: 4,
    }),
    kvCache: percent("Part of the KV cache that may be in use."),
    latency: wholeNumber(1, 3_600_000).optional().meta({
      description: "99th percentile of a request's time, from its arrival at the engine to the end of its answer.",
      unit: "ms",
      example: 5000,
    }),
    gpuMemory: percent("Part of the GPUs' memory that may be in use."),
    gpuUtilization: percent("Part of the time in which the GPUs may be busy."),
    cpuQueue: wholeNumber(1, 100_000).optional().meta({
      description: "Tasks that may wait for a CPU on a node.",
      unit: "tasks",
      example: 100,
    }),
  })
  .prefault({})
  .meta({ description: "What to keep each signal at. Default: what the planner computes.", example: { queue: 4 } });

const windowSchema = z.strictObject({
  from: text(64).meta({
    description: "When it begins, as cron.",
    unit: "cron expression",
    allowed: "minute, hour, day of the month, month and day of the week, in numbers, ranges, lists or *",
    example: "0 8 * * 1-5",
  }),
  to: text(64).meta({
    description: "When it ends, as cron.",
    unit: "cron expression",
    allowed: "minute, hour, day of the month, month and day of the week, in numbers, ranges, lists or *",
    example: "0 18 * * 1-5",
  }),
  timezone: text(64)
    .default("UTC")
    .meta({ description: "Time zone of both, by its IANA name.", example: "Europe/Berlin" }),
  replicas: wholeNumber(1, 1000).meta({
    description: "Replicas that run at least in between.",
    unit: "replicas",
    example: 3,
  }),
});

/** Autoscaling between replicas.min and replicas.max. */
export const scalingSchema = z
  .strictObject({
    by: z.enum(AUTOSCALERS).default("keda").meta({
      description:
        "Who scales: KEDA, which the platform installs; or a HorizontalPodAutoscaler, where the cluster has an adapter that serves our recorded series as external metrics.",
      example: "keda",
    }),
    on: z
      .array(z.enum(SCALING_SIGNALS))
      .min(1)
      .optional()
      .meta({
        description:
          "Signals that replicas follow: the one that asks for most counts. Default: queue, and kvCache where the engine reports it; of engines that report nothing, queue is what the gateway has under way.",
        example: ["queue", "kvCache"],
      }),
    targets: targetsSchema,
    schedule: z
      .array(windowSchema)
      .default([])
      .meta({
        description: "Times in which more replicas run, before the demand comes.",
        example: [{ from: "0 8 * * 1-5", to: "0 18 * * 1-5", timezone: "Europe/Berlin", replicas: 3 }],
      }),
    spareReplicas: wholeNumber(0, 100).default(0).meta({
      description: "Replicas for which a node is kept ready and paid, beyond those that run.",
      unit: "replicas",
      example: 1,
    }),
    idleSeconds: wholeNumber(60, 604_800).optional().meta({
      description:
        "Time without requests before the last replica goes, where replicas.min is 0. At least its cold start. Default: ten times that, from 15 minutes to 4 hours.",
      unit: "seconds",
      example: 1800,
    }),
  })
  .transform(
    ({ on, idleSeconds, ...scaling }): ScalingRequest => ({
      ...scaling,
      ...(on && { on }),
      ...(idleSeconds !== undefined && { idleSeconds }),
    }),
  )
  .optional()
  .meta({
    description:
      "How replicas follow demand between replicas.min and replicas.max. Default where these differ: by KEDA.",
    example: { on: ["queue"] },
  });
