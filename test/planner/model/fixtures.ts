/** The real configs of test/fixtures/models, read the way the program reads them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ModelArchitecture } from "../../../planner/model/architecture";
import { parseModelConfigText } from "../../../planner/model/config-json";

const folder = join(__dirname, "../../fixtures/models");

const expectedSchema = z.looseObject({
  model: z.string(),
  totalParametersB: z.number(),
  computedFromThisConfigB: z.number().optional(),
  totalParametersWithMtpB: z.number().optional(),
  activeParametersB: z.number().optional(),
  visionParametersB: z.number().optional(),
  weightsGB: z.number(),
  kvCacheBytesPerTokenBf16: z.number(),
  kvCacheBytesPerTokenBf16BeyondWindow: z.number().optional(),
  stateElementsPerSequence: z.object({ ssm: z.number(), conv: z.number() }).optional(),
});

export interface ModelFixture {
  readonly name: string;
  readonly architecture: ModelArchitecture;
  readonly expected: z.infer<typeof expectedSchema>;
}

/** The model of one fixture folder. */
export function fixtureArchitecture(name: string): ModelArchitecture {
  const quantizationPath = join(folder, name, "hf_quant_config.json");
  return parseModelConfigText(readFileSync(join(folder, name, "config.json"), "utf8"), {
    name,
    quantization: existsSync(quantizationPath) ? JSON.parse(readFileSync(quantizationPath, "utf8")) : undefined,
  });
}

/** The config of one fixture folder as parsed JSON. */
export function fixtureConfig(name: string): Readonly<Record<string, unknown>> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(join(folder, name, "config.json"), "utf8")));
}

export const modelFixtures: readonly ModelFixture[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    architecture: fixtureArchitecture(name),
    expected: expectedSchema.parse(JSON.parse(readFileSync(join(folder, name, "expected.json"), "utf8"))),
  }));
