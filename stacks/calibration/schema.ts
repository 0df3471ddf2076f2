/** The file of a measurement: what `npm run measure` writes and environments read (docs/measure.md). */
import { z } from "zod";
import { engineNames } from "../../engines";
import type { SpeedMeasurement } from "../../planner/speed/measurement";

const positive = z.number().positive();
const count = z.number().int().positive();
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
});

export const MEASUREMENT_FORMAT = 1;

export const measurementSchema = z.strictObject({
  format: z.literal(MEASUREMENT_FORMAT),
  card: z.string().min(1),
  engine: z.enum(engineNames),
  engineVersion: z.string().min(1),
  model: z.string().min(1),
  quantization: z.string().min(1).optional(),
  kvCacheDtype: z.string().min(1).optional(),
  tensorParallel: count,
  pipelineParallel: count,
  by: z.string().min(1),
  measuredAt: z.iso.datetime(),
  complete: z.boolean(),
  loads: z.array(load).min(1),
});

/** What is wrong with a file, each problem on its own. */
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
  const parsed = measurementSchema.safeParse(value);
  if (!parsed.success) {
    throw new MeasurementError(
      parsed.error.issues.map(({ path, message }) => `${path.length === 0 ? "the file" : path.join(".")}: ${message}`),
    );
  }
  const { format: _, ...measurement } = parsed.data;
  return measurement;
}

/** The file's text, keys in the order of the schema. */
export function measurementText(measurement: SpeedMeasurement): string {
  return `${JSON.stringify({ format: MEASUREMENT_FORMAT, ...measurement }, undefined, 2)}\n`;
}
