/** The commands of docs/async-inference.md, typed as they are printed there; what writes is a stand-in. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineStand } from "./engine-stand";
import { dripping } from "./sick-engine";
import { type Api, INFER } from "./start-api";

const run = promisify(execFile);
const PAGE = readFileSync(resolve(__dirname, "../../../docs/async-inference.md"), "utf8");
/** The block that asks and collects. */
const COMMANDS = /^auth\(\)[\s\S]*?(?=```)/m.exec(PAGE)?.[0] ?? "";
const PLACE = "inference-…";

let stand: EngineStand;
let api: Api;
let folder: string;

beforeAll(async () => {
  // It is at its answer until it is cancelled.
  const slowly = dripping(`${JSON.stringify({ message: { content: "Rhine " }, done: false })}\n`, 100);
  stand = await EngineStand.start(() => slowly, { model: "llama3.2:3b" });
  stand.engine.answers.set("/api/chat", slowly);
  api = await stand.replica();
  folder = mkdtempSync(join(tmpdir(), "inference-stacks-docs-"));
  writeFileSync(join(folder, "token"), INFER);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stand?.stop();
});

/** What a shell prints for one of the page's commands, after the page's own function. */
async function typed(command: string): Promise<string> {
  const [auth = ""] = COMMANDS.split("\n");
  const { stdout } = await run("sh", ["-c", `${auth}\n${command}`], {
    cwd: folder,
    env: { ...process.env, API: api.url },
  });
  return stdout;
}

describe("the commands of the page", () => {
  const commands = COMMANDS.replaceAll("\\\n", "")
    .split("\n")
    .slice(1)
    .filter((line) => line.startsWith("auth "));

  it("are those that this test knows", () => {
    expect(commands.map((one) => one.replace(/\s+/g, " ").slice(0, 45))).toEqual([
      expect.stringContaining('auth "$API/inference" -H'),
      expect.stringContaining('auth "$API/inference/inference-…"'),
      expect.stringContaining('auth "$API/tasks/inference-…/status"'),
      expect.stringContaining('auth -X DELETE "$API/tasks/inference-…"'),
      expect.stringContaining('auth -X DELETE "$API/inference/inference-…"'),
    ]);
  });

  it("ask, collect, look, cancel and delete, in the order of the page", async () => {
    const [ask = "", collect = "", look = "", cancel = "", forget = ""] = commands;
    const { task_id: id } = JSON.parse(await typed(ask)) as { readonly task_id: string };
    expect(id).toMatch(/^inference-[0-9a-f-]{36}$/);
    // The key of the page is the same task again.
    expect(JSON.parse(await typed(ask))).toEqual({ task_id: id });
    const of = (command: string) => typed(command.replace(PLACE, id));
    await expect
      .poll(async () => JSON.parse(await of(collect)) as object, { timeout: 20_000 })
      .toMatchObject({ state: "running", items: [{ text: expect.stringContaining("Rhine ") }] });
    const status = JSON.parse(await of(look)) as object;
    expect(status).toMatchObject({ task_id: id, state: "running", kind: "inference" });
    expect(JSON.stringify(status)).not.toContain("Rhine");
    expect(JSON.parse(await of(cancel))).toMatchObject({ task_id: id });
    await expect
      .poll(async () => JSON.parse(await of(collect)) as object, { timeout: 20_000 })
      .toMatchObject({ state: "failed", error: "cancelled", items: [{ text: expect.stringContaining("Rhine ") }] });
    expect(await of(forget)).toBe("");
    expect(JSON.parse(await of(collect))).toMatchObject({ status: 404 });
  });
});

describe("a request that is wrong", () => {
  const ask = async (body: object) => (await api.ask("POST", "/inference", body, INFER)).body;

  it.each([
    ["an unknown model's form", { model: "a b", prompt: "x" }, /"a b" is not a model name; allowed: /],
    ["no prompt", { model: "llama3.2:3b" }, /"messages" or "prompt"/],
    [
      "a role that is none",
      { model: "llama3.2:3b", messages: [{ role: "boss", content: "x" }] },
      /^messages: .*a role is one of system, user, assistant/,
    ],
    [
      "too many tokens",
      { model: "llama3.2:3b", prompt: "x", options: { max_tokens: 9000 } },
      /max_tokens: 9000, and 8192 is the most/,
    ],
    ["an option that is none", { model: "llama3.2:3b", prompt: "x", options: { top_k: 1 } }, /options: .*top_k/],
    [
      "a temperature beyond",
      { model: "llama3.2:3b", prompt: "x", options: { temperature: 3 } },
      /options\.temperature: .*2/,
    ],
  ])("is told where and what is allowed: %s", async (_, body, words) => {
    const { detail = "" } = await ask(body);
    expect(detail).toMatch(words);
  });
});
