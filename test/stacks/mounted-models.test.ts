/** `source: pvc://…` in an environment: what the plan states of it, and what it leaves out. */
import { describe, expect, it } from "vitest";
import { onA10 } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { planText } from "./planned";
import { environmentText } from "./texts";

const model = "qwen2.5-7b-instruct";

function planned(models: object) {
  return planText(environmentText(onA10({}, { models })));
}

describe("a model on a volume claim", () => {
  it("is planned without a copy: no room in the store, none on the node, a start over the network alone", async () => {
    const copied = await planned({ chat: { model, concurrency: 1 } });
    const mounted = await planned({ chat: { model, source: "pvc://weights/qwen", concurrency: 1 } });
    const [before, after] = [copied.plan.models[0], mounted.plan.models[0]];
    if (!before || !after) {
      throw new Error("nothing was planned");
    }
    expect(after).toMatchObject({ loading: "mount", source: { kind: "claim", claim: "weights", path: "qwen" } });
    expect(mounted.plan.storage.models).toEqual([]);
    expect(before.resources.ephemeralStorageGiB - after.resources.ephemeralStorageGiB).toBe(before.modelStorageGiB);
    expect(after.startupBudgetSeconds).toBeLessThan(before.startupBudgetSeconds);
    const told = mounted.plan.problems.filter(({ rule }) => rule === "mounted-claim");
    expect(told).toMatchObject([{ severity: "advisory", subject: "models.chat" }]);
    expect(told[0]?.message).toContain("claim weights of namespace model-chat");
  });

  it("has a claim of its own for its canary", async () => {
    const canary = { source: "pvc://weights/qwen-2" };
    const { plan } = await planned({ chat: { model, source: "pvc://weights/qwen", concurrency: 1, canary } });
    const told = plan.problems.filter(({ rule }) => rule === "mounted-claim").map(({ message }) => message);
    expect(told.join()).toContain("namespace model-chat-canary");
  });
});

const source = "pvc://weights/qwen";
ruleCases([
  [
    "a stream from a mounted volume",
    { models: { chat: { model, source, vllm: { loading: "stream" } } } },
    { path: "models.chat.vllm.loading", allowed: "read as a folder", fix: "docs/own-weights.md" },
  ],
  [
    "adapters of a model on a mounted volume",
    { models: { chat: { model, source, adapters: { law: `hf://org/law@${"a".repeat(40)}` } } } },
    { path: "models.chat.adapters", allowed: "no keys to it", fix: "remove adapters" },
  ],
  [
    "a mounted volume for Ollama",
    { models: { chat: { model: "llama-3.2-3b-instruct", engine: "ollama", source } } },
    { path: "models.chat.source", allowed: "does not read volume claims", fix: "or engine: vllm" },
  ],
  [
    "a path that leads out of the volume",
    { models: { chat: { model, source: "pvc://weights/../other" } } },
    { path: "models.chat.source", allowed: "pvc://claim/path", fix: "" },
  ],
]);
