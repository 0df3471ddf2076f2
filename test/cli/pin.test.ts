/** `npm run pin` against a hub of this machine: what is asked, what is written, and that nothing else changes. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findModel, modelNames, readModelConfigFile } from "../../catalog/models";
import { main } from "../../cli/pin";
import { hubOf } from "../../cli/pin/hub";
import { sourcesOf } from "../../cli/pin/sources";
import { UnwritableError, withSource } from "../../cli/pin/write-source";
import { repositoryRoot } from "../../names/repository-root";
import { parseEnvironmentFile } from "../../stacks/config";
import { environmentText } from "../stacks/texts";
import { onA10, runPiped, useFolder } from "./run";

const folder = useFolder();
const commit = (digit: string): string => digit.repeat(40);

type Answer = { readonly status: number; readonly body: unknown };

interface Hub {
  readonly url: string;
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop();
  }
});

/** A hub that knows some repositories, by name. */
async function hub(repositories: Readonly<Record<string, Answer | string>>): Promise<Hub> {
  const asked: Hub["asked"] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push({ path, headers: request.headers });
    const name = /^\/api\/models\/(.+)\/revision\/[^/]+$/.exec(path)?.[1] ?? path;
    const known = repositories[name] ?? { status: 404, body: {} };
    const { status, body } = typeof known === "string" ? { status: 200, body: { sha: known } } : known;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

let files = 0;

function fileWith(text: string): string {
  files += 1;
  const path = join(folder, `Pulumi.pin-${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

function pin(file: string, env: NodeJS.ProcessEnv, ...argv: string[]) {
  return runPiped((words, io) => main(words, io, env), ["--config", file, ...argv]);
}

const text = `${environmentText(onA10({}, { models: undefined }))}  # Ours, and why.
  inference-stacks:models:
    chat:   # the assistant
      model: qwen2.5-7b-instruct   # small enough
      concurrency:   2
    flow: { model: qwen3-8b, concurrency: 1 }   # in one line
    moving: { model: qwen3-8b, source: "hf://Qwen/Qwen3-8B@main", concurrency: 1 }
    fixed: { model: qwen3-8b, source: hf://Qwen/Qwen3-8B@${commit("a")} }
    tagged: { model: qwen3-8b, source: hf://Qwen/Qwen3-8B@v1.0 }
    local: { model: llama-3.2-3b-instruct, engine: ollama }
`;

const repositories = { "Qwen/Qwen2.5-7B-Instruct": commit("1"), "Qwen/Qwen3-8B": commit("2") };

it("writes the commit of every source that moves, and changes no other byte", async () => {
  const { url, asked } = await hub(repositories);
  const file = fileWith(text);
  const { status, out, err } = await pin(file, { HF_ENDPOINT: `${url}/` });
  expect([status, err]).toEqual([0, ""]);
  expect(out).toContain("pinned 4 in Pulumi.pin-");
  expect(out).toMatch(new RegExp(`^chat +Qwen/Qwen2.5-7B-Instruct +main → ${commit("1")}$`, "m"));
  expect(out).toMatch(new RegExp(`^tagged +Qwen/Qwen3-8B +v1\\.0 → ${commit("2")}$`, "m"));
  expect(out).toMatch(new RegExp(`^fixed +Qwen/Qwen3-8B +${commit("a")}: left as it is$`, "m"));
  expect(out).not.toContain("local");
  expect(readFileSync(file, "utf8")).toBe(
    text
      .replace("# small enough\n", `# small enough\n      source: hf://Qwen/Qwen2.5-7B-Instruct@${commit("1")}\n`)
      .replace("flow: { model: qwen3-8b,", `flow: { model: qwen3-8b, source: hf://Qwen/Qwen3-8B@${commit("2")},`)
      .replace('"hf://Qwen/Qwen3-8B@main"', `hf://Qwen/Qwen3-8B@${commit("2")}`)
      .replace("hf://Qwen/Qwen3-8B@v1.0", `hf://Qwen/Qwen3-8B@${commit("2")}`),
  );
  expect(parseEnvironmentFile(readFileSync(file, "utf8")).ok).toBe(true);
  // Each revision once, without a token where there is none; of those that the catalogue counts by, their config.json.
  const commits = asked.filter(({ path }) => path.startsWith("/api/"));
  expect(asked.map(({ path }) => path)).toContain(`/Qwen/Qwen3-8B/resolve/${commit("2")}/config.json`);
  expect(commits.map(({ path }) => path).sort()).toEqual([
    "/api/models/Qwen/Qwen2.5-7B-Instruct/revision/main",
    "/api/models/Qwen/Qwen3-8B/revision/main",
    "/api/models/Qwen/Qwen3-8B/revision/v1.0",
  ]);
  expect(commits.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, undefined]);
});

it("asks the hub that the environment's Jobs ask, unless HF_ENDPOINT names another", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => {
    asked.push(new URL(url).host);
    return Promise.resolve(Response.json({ sha: commit("1") }));
  });
  const models = { chat: { model: "qwen3-8b", source: "hf://Qwen/Qwen3-8B@main", concurrency: 1 } };
  const written = environmentText(onA10({}, { models, storage: { hub: { url: "https://hub.example.com" } } }));
  await pin(fileWith(written), {});
  await pin(fileWith(written), { HF_ENDPOINT: "https://mirror.example.com" });
  expect([...new Set(asked)]).toEqual(["hub.example.com", "mirror.example.com"]);
});

it("writes a canary's own source below its model, and nothing for one that has its model's", async () => {
  const { url } = await hub(repositories);
  const before = `${environmentText(onA10({}, { models: undefined }))}  inference-stacks:models:
    chat:
      model: qwen3-8b
      concurrency: 1
      canary: { source: hf://Qwen/Qwen2.5-7B-Instruct, weight: 5 }
    flow: { model: qwen3-8b, concurrency: 1, canary: { engineVersion: "0.32.0" } }
`;
  const file = fileWith(before);
  expect((await pin(file, { HF_ENDPOINT: url })).status).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(
    before
      .replace("chat:\n      model: qwen3-8b\n", `$&      source: hf://Qwen/Qwen3-8B@${commit("2")}\n`)
      .replace("hf://Qwen/Qwen2.5-7B-Instruct,", `hf://Qwen/Qwen2.5-7B-Instruct@${commit("1")},`)
      .replace("flow: { model: qwen3-8b,", `$& source: hf://Qwen/Qwen3-8B@${commit("2")},`),
  );
});

it("writes the commits of adapters, whichever way they are written, and of none of a canary's", async () => {
  const { url } = await hub({ ...repositories, "org/law": commit("3"), "org/tone": commit("4") });
  const before = `${environmentText(onA10({}, { models: undefined }))}  inference-stacks:models:
    chat:
      model: qwen3-8b
      source: hf://Qwen/Qwen3-8B@${commit("a")}
      concurrency: 1
      canary: { engineVersion: "0.32.0" }
      adapters:
        law: hf://org/law   # ours
        tone: { rank: 16, source: "hf://org/tone@main" }
        own: s3://models/own
        fixed: hf://org/fixed@${commit("b")}
`;
  const file = fileWith(before);
  const { status, out } = await pin(file, { HF_ENDPOINT: url }, "--json");
  expect(status).toBe(0);
  expect(JSON.parse(out).sources).toEqual([
    { model: "chat", repository: "Qwen/Qwen3-8B", revision: commit("a"), pinnedTo: null },
    { model: "chat", adapter: "law", repository: "org/law", revision: "main", pinnedTo: commit("3") },
    { model: "chat", adapter: "tone", repository: "org/tone", revision: "main", pinnedTo: commit("4") },
    { model: "chat", adapter: "fixed", repository: "org/fixed", revision: commit("b"), pinnedTo: null },
  ]);
  expect(readFileSync(file, "utf8")).toBe(
    before
      .replace("law: hf://org/law ", `law: hf://org/law@${commit("3")} `)
      .replace('"hf://org/tone@main"', `hf://org/tone@${commit("4")}`),
  );
});

describe("a model of the catalogue", () => {
  const qwen = findModel("qwen2.5-7b-instruct") ?? expect.fail("the catalogue lacks it");
  const published = JSON.parse(readModelConfigFile(qwen));
  const configAt = (sha: string, config: unknown) => ({
    [`/Qwen/Qwen2.5-7B-Instruct/resolve/${sha}/config.json`]: { status: 200, body: config },
  });
  const other = { ...published, max_position_embeddings: 131_072, num_key_value_heads: 2 };

  it("is counted as its repository has it", async () => {
    const { url } = await hub({ ...repositories, ...configAt(commit("1"), published) });
    const { status, out, err } = await pin(fileWith(text), { HF_ENDPOINT: url }, "--json");
    expect([status, err]).toEqual([0, ""]);
    expect(JSON.parse(out).catalogue).toContainEqual({ model: qwen.name, differences: [] });
  });

  it("is named with what differs, once the commits are written", async () => {
    const { url } = await hub({ ...repositories, ...configAt(commit("1"), other) });
    const file = fileWith(text);
    const { status, err } = await pin(file, { HF_ENDPOINT: url });
    expect(status).toBe(1);
    expect(err).toContain(`${qwen.name}: context in tokens: 32768 in the catalogue, 131072 in ${qwen.repository}`);
    expect(err).toContain(`${qwen.name}: KV heads: 4 in the catalogue, 2 in ${qwen.repository}`);
    expect(err).toContain("give config:");
    expect(readFileSync(file, "utf8")).toContain(commit("1"));
  });

  it("is compared with all others by --catalogue, which takes no environment", async () => {
    const { url, asked } = await hub({ ...repositories, ...configAt(commit("1"), other) });
    const run = (...argv: string[]) => runPiped((words, io) => main(words, io, { HF_ENDPOINT: url }), argv);
    const { status, out } = await run("--catalogue");
    expect(status).toBe(1);
    expect(out).toContain("context in tokens: 32768 in the catalogue, 131072");
    expect(out).toMatch(new RegExp(`1 of ${modelNames().length} models compared, 1 differ`));
    expect(asked.filter(({ path }) => path.includes("/revision/"))).toHaveLength(modelNames().length);
    const { models } = JSON.parse((await run("--catalogue", "--json")).out);
    expect(models).toHaveLength(modelNames().length);
    expect((await run("--catalogue", "dev")).status).toBe(2);
  });
});

it.each(["dev", "oci-a10", "oci-h100", "aws-prod", "edge-nvidia", "edge-radeon"])(
  "pins what is shipped: %s names commits alone after it",
  async (name) => {
    const before = readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8");
    const file = fileWith(before);
    const known = Object.fromEntries(
      modelNames().map((model) => [findModel(model)?.repository ?? "", commit("5")] as const),
    );
    const { status, err } = await pin(file, { HF_ENDPOINT: (await hub(known)).url });
    expect([status, err]).toEqual([0, ""]);
    const parsed = parseEnvironmentFile(readFileSync(file, "utf8"));
    const sources = parsed.ok ? sourcesOf(parsed.environment.models) : expect.fail(`${name} cannot be read`);
    expect(sources.filter(({ revision }) => revision !== commit("5"))).toEqual([]);
  },
);

it("has nothing left to do the second time, and asks nobody", async () => {
  const file = fileWith(text);
  await pin(file, { HF_ENDPOINT: (await hub(repositories)).url });
  const after = readFileSync(file, "utf8");
  const { url, asked } = await hub(repositories);
  const { status, out } = await pin(file, { HF_ENDPOINT: url });
  expect([status, asked.length, readFileSync(file, "utf8")]).toEqual([0, 0, after]);
  expect(out).toContain("nothing to pin in Pulumi.pin-");
});

it("--dry-run says what it would write, --json for machines, and writes nothing", async () => {
  const { url } = await hub(repositories);
  const file = fileWith(text);
  const { status, out } = await pin(file, { HF_ENDPOINT: url }, "--dry-run", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    written: false,
    sources: [
      { model: "chat", repository: "Qwen/Qwen2.5-7B-Instruct", revision: "main", pinnedTo: commit("1") },
      { model: "flow", pinnedTo: commit("2") },
      { model: "moving", pinnedTo: commit("2") },
      { model: "fixed", revision: commit("a"), pinnedTo: null },
      { model: "tagged", revision: "v1.0", pinnedTo: commit("2") },
    ],
  });
  expect(readFileSync(file, "utf8")).toBe(text);
});

it("shows the token of HF_TOKEN to the hub", async () => {
  const { url, asked } = await hub(repositories);
  await pin(fileWith(text), { HF_ENDPOINT: url, HF_TOKEN: "hf_example\n" });
  expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer hf_example"]));
});

describe("writes nothing, and says why, when", () => {
  const denied = { status: 401, body: { error: "Invalid username or password." } };
  it.each<[string, Readonly<Record<string, Answer | string>>, NodeJS.ProcessEnv, string[]]>([
    [
      "a repository is denied",
      { ...repositories, "Qwen/Qwen3-8B": denied },
      {},
      ["the hub denies Qwen/Qwen3-8B", "HF_TOKEN"],
    ],
    [
      "a token is denied",
      { ...repositories, "Qwen/Qwen3-8B": denied },
      { HF_TOKEN: "x" },
      ["to the owner of HF_TOKEN"],
    ],
    ["both are unknown", {}, {}, ["knows no Qwen/Qwen2.5-7B-Instruct", "knows no Qwen/Qwen3-8B"]],
    ["the hub is busy", { ...repositories, "Qwen/Qwen3-8B": { status: 503, body: "" } }, {}, ["answers 503"]],
    [
      "it asks for patience",
      { ...repositories, "Qwen/Qwen3-8B": { status: 429, body: "" } },
      {},
      ["too many requests"],
    ],
    ["it is no hub", { ...repositories, "Qwen/Qwen3-8B": { status: 200, body: "<html>" } }, {}, ["no JSON"]],
    ["it answers nonsense", { ...repositories, "Qwen/Qwen3-8B": "main" }, {}, ["without a commit for Qwen/Qwen3-8B"]],
  ])("%s", async (_, known, env, says) => {
    const file = fileWith(text);
    const { status, out, err } = await pin(file, { HF_ENDPOINT: (await hub(known)).url, ...env });
    expect([status, out]).toEqual([1, ""]);
    for (const words of [...says, "nothing was written"]) {
      expect(err).toContain(words);
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("nobody answers, as without a network", async () => {
    const { url } = await hub({});
    for (const stop of stops.splice(0)) {
      stop();
    }
    const { status, err } = await pin(fileWith(text), { HF_ENDPOINT: url });
    expect([status, err]).toEqual([1, expect.stringContaining(`${url} gives no answer (ECONNREFUSED)`)]);
  });

  it.each([
    ["no address", { HF_ENDPOINT: "hub" }],
    ["a password in it", { HF_ENDPOINT: "https://user:geheim@hub.example.com" }],
    ["a token that everybody could read", { HF_ENDPOINT: "http://hub.example.com", HF_TOKEN: "hf_geheim" }],
  ])("HF_ENDPOINT is %s", (_, env) => {
    expect(() => hubOf(env)).toThrow(/HF_ENDPOINT|HF_TOKEN/);
    expect(() => hubOf(env)).not.toThrow(/geheim/);
  });
});

describe("the file's text", () => {
  const source = "hf://org/name@main";

  it("of an adapter may be its source alone, or say more", () => {
    const before = "config:\n  inference-stacks:models:\n    a:\n      adapters: { b: hf://org/b, c: { rank: 8 } }\n";
    expect(withSource(before, ["a", "adapters", "b"], source)).toBe(before.replace("hf://org/b,", `${source},`));
    expect(withSource(before, ["a", "adapters", "c"], source)).toBe(
      before.replace("{ rank: 8 }", `{ rank: 8, source: ${source} }`),
    );
  });

  it("may have Windows line ends", () => {
    const before = "config:\r\n  inference-stacks:models:\r\n    a:\r\n      model: x\r\n      engine: vllm\r\n";
    const after = before.replace("model: x\r\n", `model: x\r\n      source: ${source}\r\n`);
    expect(withSource(before, ["a"], source)).toBe(after);
  });

  it("may end without a line end", () => {
    const before = "config:\n  inference-stacks:models:\n    a:\n      model: x";
    expect(withSource(before, ["a"], source)).toBe(`${before}\n      source: ${source}`);
  });

  it("gets the line into the model's own settings where others are merged in", () => {
    const before =
      "config:\n  inference-stacks:models:\n    a: &a\n      model: x\n    b:\n      <<: *a\n      concurrency: 1\n";
    const after = before.replace("<<: *a\n", `<<: *a\n      source: ${source}\n`);
    expect(withSource(before, ["b"], source)).toBe(after);
  });

  it("is not guessed at: an alias stands for another model too", () => {
    const before = "config:\n  inference-stacks:models:\n    a: &a { model: x }\n    b: *a\n";
    expect(() => withSource(before, ["b"], source)).toThrow(UnwritableError);
  });

  it.each(["oci-h100", "aws-prod", "edge-nvidia"])("of %s changes by whole sources only", (name) => {
    const before = readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8");
    const parsed = parseEnvironmentFile(before);
    const models = parsed.ok ? Object.entries(parsed.environment.models) : [];
    for (const [model] of models.filter(([, { engine, source: own }]) => engine === "vllm" && !own)) {
      const after = withSource(before, [model], source);
      expect(after.replace(new RegExp(`(\\n *source: ${source}|, source: ${source})`), "")).toBe(before);
    }
  });
});
