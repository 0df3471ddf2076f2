import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { summarize } from "../../../planner/summary";
import { ConfigError } from "../../../stacks/config";
import { planText } from "../planned";
import { environmentText, problemsWith, rightEnvironment } from "./samples";

describe("a model's own chat template", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "template-"));
    writeFileSync(join(folder, "chat.jinja"), "{{ messages }}\n");
    writeFileSync(join(folder, "binary.jinja"), Buffer.from([0, 1, 2]));
    mkdirSync(join(folder, "folder.jinja"));
    writeFileSync(join(folder, "large.jinja"), "");
    truncateSync(join(folder, "large.jinja"), 257 * 1024);
  });

  async function plan(templates: Record<string, string>) {
    const models = Object.fromEntries(
      Object.entries(templates).map(([name, chatTemplate]) => [
        name,
        { model: "qwen2.5-7b-instruct", vllm: { chatTemplate } },
      ]),
    );
    return (await planText(environmentText({ ...rightEnvironment, models }), folder)).plan;
  }

  it("is read from beside the environment file; the summary only names it", async () => {
    const made = await plan({ chat: "./chat.jinja" });
    expect(made.models[0]?.chatTemplate).toEqual({ file: "./chat.jinja", text: "{{ messages }}\n" });
    const summary = summarize(made);
    expect(summary.models[0]?.chatTemplate).toBe("./chat.jinja");
    expect(JSON.stringify(summary)).not.toContain("{{ messages");
  });

  it("that cannot be read is a mistake of the configuration, all of them at once", async () => {
    const templates = { a: "missing.jinja", b: "folder.jinja", c: "large.jinja", d: "binary.jinja", e: "chat.jinja" };
    const error = await plan(templates).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ConfigError)) {
      throw error ?? new Error("nothing was thrown");
    }
    expect(error.problems.map(({ path, allowed }) => [path, allowed])).toEqual([
      ["models.a.vllm.chatTemplate", `a readable Jinja template: ${join(folder, "missing.jinja")} does not exist`],
      ["models.b.vllm.chatTemplate", `a readable Jinja template: ${join(folder, "folder.jinja")} is a folder`],
      [
        "models.c.vllm.chatTemplate",
        `a readable Jinja template: ${join(folder, "large.jinja")} is larger than 256 KiB`,
      ],
      ["models.d.vllm.chatTemplate", "a readable Jinja template: it is no text"],
    ]);
  });

  it.each(["https://example.com/chat.jinja", "chat.txt", "{{ messages }}"])("is no %s", (chatTemplate) => {
    const problems = problemsWith({ models: { chat: { model: "qwen2.5-7b-instruct", vllm: { chatTemplate } } } });
    expect(problems).toMatchObject([
      { path: "models.chat.vllm.chatTemplate", allowed: "the path of a file that ends in .jinja" },
    ]);
  });

  it("belongs to chat models on vLLM, and is no flag", () => {
    const models = {
      a: { model: "bge-m3", vllm: { chatTemplate: "a.jinja" } },
      b: { model: "llama-3.2-3b-instruct", engine: "ollama", vllm: { chatTemplate: "a.jinja" } },
      c: { model: "qwen2.5-7b-instruct", args: { "chat-template": "a.jinja" } },
    };
    expect(problemsWith({ models }).map(({ path }) => path)).toEqual([
      "models.a.vllm.chatTemplate",
      "models.b.vllm",
      "models.c.args.chat-template",
    ]);
  });
});
