import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { readArchitectures } from "../../stacks/architectures";
import { ConfigError } from "../../stacks/config";
import { configOf, llama8b, llamaTensors, writeWeights } from "../planner/model/checkpoint/checkpoints";
import { fileStart } from "../planner/model/checkpoint/safetensors";
import { parseWith } from "./config/samples";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "architectures-"));
  writeFileSync(join(folder, "config.json"), JSON.stringify(configOf(llama8b, "zorblax")));
  writeFileSync(join(folder, "other.json"), JSON.stringify(configOf(llama8b, "llama")));
});

/** The architecture of a model whose configuration is this file. */
async function read(config: string) {
  const parsed = parseWith({ models: { mine: { config, source: "hf://acme/mine" } } });
  if (!parsed.ok) {
    throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  }
  return (await readArchitectures(parsed.environment, folder)).get("mine");
}

async function problemsOf(reading: Promise<unknown>) {
  const error = await reading.catch((reason: unknown) => reason);
  if (!(error instanceof ConfigError)) {
    throw new Error(`expected a ConfigError, got ${String(error)}`);
  }
  return error.problems;
}

describe("the architecture of a model of an environment", () => {
  it("is counted from the weight files beside its config.json", async () => {
    writeWeights(join(folder, "model.safetensors"), llamaTensors(llama8b));
    const architecture = await read("config.json");
    expect(architecture).toMatchObject({ family: "zorblax", layers: 32, checkpoint: { from: "headers", files: 1 } });
    expect(architecture?.cacheDoubt).toBeUndefined();
  });

  it("has nothing to do with weight files beside a file of another name", async () => {
    writeFileSync(join(folder, "model.safetensors"), "nonsense");
    expect((await read("other.json"))?.checkpoint).toBeUndefined();
  });

  it("needs the files where no reader knows its type, and says so", async () => {
    const [problem] = await problemsOf(read("config.json"));
    expect(problem?.message).toMatch(
      /model_type: unknown model family; .*Name config\.json in a folder with its weight files/,
    );
  });

  it("is refused with weight files that are none, as every mistake in the environment is", async () => {
    writeFileSync(join(folder, "model.safetensors"), fileStart("{}", 10n * 2n ** 30n));
    const [problem] = await problemsOf(read("config.json"));
    expect(problem).toMatchObject({
      path: "models.mine.config",
      allowed: expect.stringMatching(/model\.safetensors is no safetensors file: .* 10737418240 bytes/),
      fix: "download the checkpoint again, or keep config.json in a folder of its own",
    });
  });
});
