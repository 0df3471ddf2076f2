import { describe, expect, it } from "vitest";
import { environmentText, problemsWith, rightEnvironment } from "./config/samples";
import { planText } from "./planned";

async function rulesOf(chat: Record<string, unknown>): Promise<readonly string[]> {
  const models = { ...rightEnvironment.models, chat };
  const { plan } = await planText(environmentText({ ...rightEnvironment, models }));
  return plan.problems.map(({ rule }) => rule);
}

describe("a quantization in a configuration", () => {
  const llama = { model: "llama-3.1-8b-instruct", quantization: "awq", concurrency: 1 };

  it("must be the format of the catalogue's repository, at whatever commit", async () => {
    expect(await rulesOf(llama)).toContain("weight-format");
    const commit = "0123456789abcdef0123456789abcdef01234567";
    expect(await rulesOf({ ...llama, source: `hf://meta-llama/Llama-3.1-8B-Instruct@${commit}` })).toContain(
      "weight-format",
    );
  });

  it("is left to another source, whose config.json was not read", async () => {
    expect(await rulesOf({ ...llama, source: "hf://acme/llama-3.1-8b-awq" })).not.toContain("weight-format");
    expect(await rulesOf({ ...llama, source: "s3://models/llama-awq" })).not.toContain("weight-format");
  });

  it("is said to be made at load, or to need its checkpoint; what the release has no more is not named", () => {
    const [problem] = problemsWith({ models: { chat: { ...llama, quantization: "nonsense" } } });
    const [made = "", declared = ""] = (problem?.allowed ?? "").split(
      "; or, where source is a checkpoint in that format, ",
    );
    expect(made).toContain("fp8, fp8_per_tensor");
    expect(made).not.toMatch(/awq|gptq|int4|nvfp4/);
    expect(declared).toMatch(/awq.*gptq.*int4.*w4a16.*int8.*w8a8/);
    expect(problem?.allowed).not.toContain("bitsandbytes");
  });
});
