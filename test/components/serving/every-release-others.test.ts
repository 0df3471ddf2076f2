/** Each release of Triton, TGI, Ollama and Ray takes what the platform writes for it, or the plan refuses it. */
import { describe, expect, it } from "vitest";
import { bundledIn } from "../../../catalog/bundled-engines";
import { type EngineReleases, releaseHas } from "../../../catalog/engine-releases";
import { ollamaEnvironment } from "../../../components/serving/ollama-server";
import { serveConfig } from "../../../components/serving/ray-serve-config";
import { tgiArguments } from "../../../components/serving/tgi-args";
import { tritonArguments } from "../../../components/serving/triton-args";
import { engineOf } from "../../../engines";
import { versionProblems } from "../../../engines/estimate";
import { raySettings } from "../../../engines/ray/settings";
import type { ServedModel } from "../../../engines/served-model";
import { tritonSettings } from "../../../engines/triton/settings";
import { vllmReleases } from "../../../engines/vllm/releases";
import { modelPlan, ollamaPlan, rayPlan } from "../../harness/plans";
import { modelOf } from "../../planner/fixtures";

function recordOf(engine: "triton" | "tgi" | "ollama"): EngineReleases {
  const { releases } = engineOf(engine).options;
  if (releases === undefined) {
    throw new Error(`no releases of ${engine}`);
  }
  return releases;
}

function flagsOf(words: readonly string[]): string[] {
  return words.flatMap((word) => /^--([\w-]+)/.exec(word)?.[1] ?? []);
}

/** Releases that are accepted, and what they do not take of what is written for them. */
function judged(
  releases: readonly string[],
  isAccepted: (version: string) => boolean,
  faults: (version: string) => string[],
) {
  const accepted = releases.filter(isAccepted);
  return { oldest: accepted[0], count: accepted.length, faults: accepted.flatMap(faults) };
}

describe("each release of Triton", () => {
  const record = recordOf("triton");
  const source: ServedModel["source"] = { kind: "bucket", uri: "s3://models/repository" };
  const asked = (block: Record<string, unknown>, engineVersion: string) => {
    const { chatTemplate: _, ...requested } = tritonSettings.requested(block);
    const model = modelOf("llama-3.1-8b", {
      engine: "triton",
      engineVersion,
      task: "completion",
      source,
      ...requested,
    });
    return { model, problems: tritonSettings.outcome(block, model).problems };
  };

  it.each([
    [{ repository: { memoryGiB: 6 } }, "24.01"],
    [{ repository: { memoryGiB: 6 }, grpcThreads: 8 }, "25.04"],
    [{}, "26.04"],
  ])("with %j takes what is written, from %s on", (block, oldest) => {
    const result = judged(
      record.releases,
      (version) => [...asked(block, version).problems, ...versionProblems({ name: "triton", version })].length === 0,
      (version) => {
        const { engineSettings = {} } = asked(block, version).model;
        const plan = modelPlan({ engine: "triton", engineVersion: version, engineSettings });
        return flagsOf(tritonArguments(plan, "/m")).filter((name) => !releaseHas(record.arguments, name, version));
      },
    );
    expect(result).toEqual({ oldest, count: record.releases.length - record.releases.indexOf(oldest), faults: [] });
  });

  it("older than those that were read is refused", () => {
    expect(versionProblems({ name: "triton", version: "23.12" })).toHaveLength(1);
  });
});

it("each release of TGI takes what is written for it, and others are refused", () => {
  const record = recordOf("tgi");
  const faults = record.releases.flatMap((engineVersion) =>
    flagsOf(tgiArguments(modelPlan({ engine: "tgi", engineVersion }), "/m")).filter(
      (name) => !releaseHas(record.arguments, name, engineVersion),
    ),
  );
  expect(faults).toEqual([]);
  const refused = (version: string) => versionProblems({ name: "tgi", version }).length > 0;
  expect(record.releases.filter(refused)).toEqual([]);
  expect(["2.2.0", "3.1.0", "3.3.7"].filter(refused)).toHaveLength(3);
});

it("each release of Ollama reads what it is given, and one that reads no context length is refused", () => {
  const record = recordOf("ollama");
  const result = judged(
    record.releases,
    (version) => versionProblems({ name: "ollama", version }).length === 0,
    (version) =>
      ollamaEnvironment(ollamaPlan({ engineVersion: version }))
        .map(({ name }) => String(name))
        .filter((name) => name.startsWith("OLLAMA_") && !releaseHas(record.environment, name, version)),
  );
  expect(result).toEqual({ oldest: "0.5.13", count: record.releases.length - 1, faults: [] });
  expect(ollamaEnvironment(ollamaPlan()).map(({ name }) => name)).toContain("OLLAMA_NO_CLOUD");
});

describe.each(bundledIn("ray-llm")?.releases ?? [])("Ray $release", ({ release: ray, brings: vllm }) => {
  it("gives the vLLM in it arguments that it has", () => {
    const adorned = rayPlan({
      engineVersion: ray,
      kvCacheDtype: "fp8",
      loading: "stream",
      loadAs: { quantization: "fp8" },
    });
    const names = [rayPlan({ engineVersion: ray }), adorned].flatMap((plan) =>
      serveConfig(plan, "/m").applications.flatMap(({ args }) =>
        args.llm_configs.flatMap(({ engine_kwargs }) => Object.keys(engine_kwargs)),
      ),
    );
    const unknown = names.filter((name) => !releaseHas(vllmReleases.arguments, name.replaceAll("_", "-"), vllm));
    expect(names.length).toBeGreaterThan(8);
    expect(unknown).toEqual([]);
  });

  it("is refused for gpt-oss, whose vocabulary its vLLM would fetch", () => {
    const model = (name: string) => modelOf(name, { engine: "ray", engineVersion: ray });
    expect(raySettings.outcome(undefined, model("gpt-oss-20b")).problems).toEqual([
      { rule: "engine-release", message: expect.stringMatching(/0\.31\.0 or newer.*vocabulary.*engine: vllm/) },
    ]);
    expect(raySettings.outcome(undefined, model("qwen3-8b")).problems).toEqual([]);
  });
});
