/** Measurement file: written by `npm run measure`, read by environments (docs/measure.md). */
import { z } from "zod";
import { engineNames } from "../../engines";
import { isVisible } from "../../names/visible";
import type { SpeedMeasurement } from "../../planner/speed/measurement";

/** Untrusted text that plans print. */
export const shortText = z
  .string()
  .min(1)
  .max(200)
  .refine(isVisible, { message: "it has control characters; allowed: one line of visible text" });
const positive = z.number().positive();
const count = z.number().int().positive();
const share = z.number().min(0).max(1);
const error = z.number().min(0).max(10).optional();
const figure = z.strictObject({ median: positive, mean: positive.optional(), p99: positive.optional(), error });

const load = z.strictObject({
  inFlight: count,
  inputTokens: count,
  outputTokens: count,
  sharedPrefixTokens: z.number().int().min(0),
  requests: count,
  failed: z.number().int().min(0),
  ttftMs: figure,
  tpotMs: figure.optional(),
  e2eMs: figure.optional(),
  tokensPerSecond: z.strictObject({ value: positive, error }),
  kvCacheUsage: z.strictObject({ mean: share, max: share }).optional(),
});

export const MEASUREMENT_FORMAT = 1;

export const measurementSchema = z.strictObject({
  format: z.literal(MEASUREMENT_FORMAT),
  card: shortText,
  engine: z.enum(engineNames),
  engineVersion: shortText,
  model: shortText,
  quantization: shortText.optional(),
  kvCacheDtype: shortText.optional(),
  tensorParallel: count,
  pipelineParallel: count,
  by: shortText,
  measuredAt: z.iso.datetime(),
  complete: z.boolean(),
  loads: z.array(load).min(1),
});

/** Problems of a file, one by one. */
export class MeasurementError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}

/** @throws MeasurementError with every problem. */
export function parseMeasurement(text: string): SpeedMeasurement {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MeasurementError(["it is no JSON"]);
  }
  const { format: _, ...measurement } = checked(value);
  return measurement;
}

/** @throws MeasurementError */
function checked(value: unknown): z.infer<typeof measurementSchema> {
  const parsed = measurementSchema.safeParse(value);
  if (!parsed.success) {
    throw new MeasurementError(
      parsed.error.issues.map(({ path, message }) => `${path.length === 0 ? "the file" : path.join(".")}: ${message}`),
    );
  }
  return parsed.data;
}

/** Keys in the schema's order. @throws MeasurementError for invalid content. */
export function measurementText(measurement: SpeedMeasurement): string {
  return `${JSON.stringify(checked({ format: MEASUREMENT_FORMAT, ...measurement }), undefined, 2)}\n`;
}
