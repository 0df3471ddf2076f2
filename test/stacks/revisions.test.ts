import { describe, expect, it } from "vitest";
import type { DeploymentPlan } from "../../planner/types";
import { onA10, planOf, useFolder } from "../cli/run";
import { planText } from "./planned";
import { environmentText } from "./texts";

const R1 = "1".repeat(40);
const R2 = "2".repeat(40);
const repository = "hf://Qwen/Qwen2.5-7B-Instruct";
const folder = useFolder();

async function planned(model: object, changes: object = {}): Promise<DeploymentPlan> {
  return (await planText(environmentText(onA10({ ...model }, { ...changes })), folder)).plan;
}

function moving({ problems }: DeploymentPlan) {
  return problems.filter(({ rule }) => rule.startsWith("moving-revision"));
}

const production = {
  stage: "production",
  gateway: { hostname: "inference.example.com", tls: { kind: "acme", email: "a@example.com" } },
  observability: { alerts: "none" },
};
const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };

describe("a source that moves", () => {
  it.each([
    ["a branch", { source: `${repository}@main` }, "models.chat.source", "@main"],
    ["no revision", { source: repository }, "models.chat.source", "@main"],
    ["a tag", { source: `${repository}@v1.0` }, "models.chat.source", "@v1.0"],
    ["a short hash", { source: `${repository}@a09a354` }, "models.chat.source", "@a09a354"],
    ["a registry's latest", { ...ollama, source: "ollama://llama3.2" }, "models.chat.source", ":latest"],
    ["the same in words", { ...ollama, source: "ollama://llama3.2:latest" }, "models.chat.source", ":latest"],
    ["a registry with a port", { ...ollama, source: "ollama://a.example/llama3.2" }, "models.chat.source", ":latest"],
  ])("is refused in production where the user wrote it: %s", async (_, model, path, part) => {
    const [problem, ...others] = moving(await planned(model, production));
    expect(others).toEqual([]);
    expect(problem?.rule).toBe("moving-revision");
    expect(problem?.message).toContain(`${path} "${model.source}" follows ${part}`);
    expect(problem?.message).toMatch(/Allowed: .* To fix it: (npm run pin -- |write the tag)/);
  });

  it.each([
    ["in development", { source: `${repository}@main` }, {}],
    ["as a commit", { source: `${repository}@${R1}` }, production],
    ["as a tag with size and format", { ...ollama, source: "ollama://llama3.2:3b-instruct-q4_K_M" }, production],
    ["in the environment's own store", { source: "s3://models/chat" }, production],
  ])("is not refused %s", async (_, model, changes) => {
    expect(moving(await planned(model, changes))).toEqual([]);
  });

  it("is refused in production of an adapter too", async () => {
    const adapters = { contracts: "hf://org/contracts-lora@main", law: `hf://org/law-lora@${R2}` };
    const chat = { source: `${repository}@${R1}`, adapters };
    expect(moving(await planned(chat, production))).toMatchObject([
      {
        subject: "models.chat",
        message: expect.stringMatching(/models\.chat\.adapters\.contracts follows @main.*npm run pin/),
      },
    ]);
    expect(moving(await planned(chat))).toEqual([]);
  });

  it("of the catalogue is advised on: nobody wrote it", async () => {
    expect(moving(await planned({}, production))).toMatchObject([
      { rule: "moving-revisions", message: expect.stringContaining("npm run pin") },
    ]);
  });

  it("cannot be compared with a canary: neither the model's nor the canary's", async () => {
    const canary = { source: `${repository}@${R2}` };
    expect(moving(await planned({ canary }))).toMatchObject([
      { subject: "models.chat", message: expect.stringContaining("models.chat.source follows @main") },
    ]);
    expect(moving(await planned({ source: `${repository}@${R1}`, canary: { source: repository } }))).toMatchObject([
      { subject: "models.chat.canary", message: expect.stringContaining("models.chat.canary.source") },
    ]);
    // Told once, where it is written.
    expect(moving(await planned({ source: repository, canary: { quantization: "fp8" } }, production))).toMatchObject([
      { subject: "models.chat" },
    ]);
  });
});

describe("two revisions side by side", () => {
  const chat = { source: `${repository}@${R1}`, domain: "legal" };
  const canary = { source: `${repository}@${R2}`, weight: 20 };

  it("are two models of the plan with their own cost, and lie side by side in the store", async () => {
    const { models, storage } = await planned({ ...chat, canary });
    expect(models).toMatchObject([
      { name: "chat" },
      { name: "chat-canary", revisionOf: { model: "chat", weight: 20 }, storeFolder: `legal/chat.${R2}` },
    ]);
    expect(models[0]).not.toHaveProperty("storeFolder");
    expect(models[1]?.monthlyUsd).toBeGreaterThan(0);
    const alone = await planned(chat);
    expect(storage.sizeGiB).toBe(2 * alone.storage.sizeGiB);
    expect(alone.models[0]).not.toHaveProperty("revisionOf");
  });

  it("leave the store its size when the second has become the first: both are still there", async () => {
    const sizeOf = async (model: object) => (await planned(model)).storage.sizeGiB;
    const promoted = { ...chat, source: canary.source, firstRevision: R1 };
    const both = await sizeOf({ ...chat, canary });
    expect(await sizeOf({ ...promoted, canary })).toBe(both);
    expect(await sizeOf(promoted)).toBe(both);
  });

  it("take one folder where they differ in other things than their weights", async () => {
    const { models, storage } = await planned({ ...chat, canary: { engineVersion: "0.32.0" } });
    expect(models[1]).toMatchObject({ name: "chat-canary", storeFolder: "legal/chat" });
    expect(storage.sizeGiB).toBe((await planned(chat)).storage.sizeGiB);
  });

  it("keep their places whichever is the model: forward, further, and back", async () => {
    const folders = async (model: object) => (await planned(model)).models.map((m) => m.storeFolder ?? "legal/chat");
    const at = (commit: string) => ({ ...chat, source: `${repository}@${commit}` });
    expect(await folders({ ...chat, canary })).toEqual(["legal/chat", `legal/chat.${R2}`]);
    expect(await folders({ ...at(R2), firstRevision: R1, canary })).toEqual([`legal/chat.${R2}`, `legal/chat.${R2}`]);
    expect(await folders({ ...at(R2), firstRevision: R1 })).toEqual([`legal/chat.${R2}`]);
    expect(await folders({ ...at(R1), firstRevision: R1 })).toEqual(["legal/chat"]);
    expect(await folders({ ...at(R2), firstRevision: R1, canary: { source: chat.source } })).toEqual([
      `legal/chat.${R2}`,
      "legal/chat",
    ]);
  });

  it("are told how the second becomes the first", async () => {
    const { models } = await planned({ ...chat, canary });
    expect(models[1]?.notes).toContain(
      `to promote it and copy nothing again, write source: ${repository}@${R2} and firstRevision: ${R1} under models.chat (docs/canary.md)`,
    );
    expect(models[0]?.notes.join()).not.toContain("promote");
  });

  it("are one too many once the model is what its canary is", async () => {
    const promoted = { ...chat, source: canary.source, firstRevision: R1 };
    const advice = async (model: object) =>
      (await planned(model)).problems.filter(({ rule }) => rule === "promoted-canary");
    expect(await advice({ ...chat, canary })).toEqual([]);
    expect(await advice({ ...promoted, canary: { ...canary, engineVersion: "0.32.0" } })).toEqual([]);
    expect(await advice({ ...promoted, canary })).toMatchObject([
      {
        severity: "advisory",
        subject: "models.chat.canary",
        message: expect.stringContaining("remove models.chat.canary"),
      },
    ]);
  });

  it("stand in the plan that people read, with the sum of their cost", async () => {
    const { out } = await planOf(folder, onA10({ ...chat, canary }));
    const text = out.replace(/\s+/g, " ");
    expect(text).toMatch(/80 % of its requests, [\d,.]+ USD\/month with its canary/);
    expect(text).toContain("canary: 20 % of the requests to chat");
  });

  it("are placed on the pool that is dedicated to the model", async () => {
    const system = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
    const own = { shape: "VM.GPU.A10.2", maxNodes: 2, dedicatedTo: ["chat"] };
    const { models, problems } = await planned({ ...chat, canary }, { pools: { system, own } });
    expect(problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    expect(models.map(({ name }) => name)).toEqual(["chat", "chat-canary"]);
  });

  it("say of a lack of room what can be changed in the file", async () => {
    const system = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
    const gpu = { shape: "VM.GPU.A10.1", maxNodes: 1 };
    const { problems } = await planned({ ...chat, canary }, { pools: { system, gpu } });
    const [refusal] = problems.filter(({ rule }) => rule === "pool-capacity");
    expect(refusal?.subject).toMatch(/^models\.chat(\.canary)?$/);
    expect(JSON.stringify(problems)).not.toContain("models.chat-canary");
  });
});
