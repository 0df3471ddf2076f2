/** Every mistake ends with status 2 and a message that helps; none with a stack trace. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environmentText } from "../stacks/texts";
import { laptop, onA10, plan, planOf, useFolder } from "./run";

const folder = useFolder();

async function refusal(content: Readonly<Record<string, unknown>> | string): Promise<string> {
  const { status, out, err } = await planOf(folder, content);
  expect([status, out]).toEqual([2, ""]);
  expect(err).not.toMatch(/\n\s+at /);
  return err;
}

describe("the file's path", () => {
  it.each([
    { what: "a folder", path: folder, says: "it is a folder; name the file in it" },
    { what: "a device", path: "/dev/zero", says: "it is a device or a pipe; give the path of a plain file" },
    { what: "missing", path: join(folder, "none.yaml"), says: "it does not exist; correct the path" },
  ])("that is $what", async ({ path, says }) => {
    expect(await plan("test", "--config", path)).toEqual({
      status: 2,
      out: "",
      err: `cannot read ${path}: ${says}\n`,
    });
  });

  it("names the environment where nothing else does", async () => {
    const path = join(folder, "Pulumi.team-a.yaml");
    writeFileSync(path, environmentText(laptop));
    const { status, out } = await plan("--config", path, "--json");
    expect([status, JSON.parse(out).environment]).toEqual([0, "team-a"]);
  });
});

it("says that values of Pulumi ESC are missing here", async () => {
  const imports = "environment:\n  - team/base\n  - team/prod: { merge: false }\n";
  const { status, err } = await planOf(folder, `${imports}${environmentText(laptop)}`);
  expect([status, err]).toEqual([0, expect.stringContaining("imports team/base, team/prod from Pulumi ESC")]);
  const missing = await refusal(`${imports}config: {}\n`);
  expect(missing).toContain("it may be in Pulumi ESC (team/base, team/prod), which only Pulumi opens");
});

it("lists five mistakes at once, each with path, value, what is allowed and the fix", async () => {
  const err = await refusal({
    ...laptop,
    stage: "prod",
    pools: { laptop: { role: "cpu", node: { vcpus: "eight", memoryGiB: 16 } } },
    models: { chat: { ...laptop.models.chat, model: "qwen2.5-0.5b-instrukt", contextLength: 4096 } },
    gateway: { ...laptop.gateway, consumers: ["web", "web"] },
  });
  expect(err).toContain(": 5 problems");
  for (const path of ["stage", "pools.laptop.node.vcpus", "models.chat.contextLength", "gateway.consumers[1]"]) {
    expect(err).toContain(`. ${path} (line `);
  }
  expect(err).toContain('did you mean "production"?');
  expect(err).toContain('did you mean "qwen2.5-0.5b-instruct"?');
  expect(err.match(/^ {5}(value|allowed|fix) /gm)).toHaveLength(15);
});

describe("the file", () => {
  const right = environmentText(laptop);

  it.each([
    { what: "empty", text: "" },
    { what: "null", text: "null\n" },
    { what: "a list", text: "- config\n" },
    { what: "a word", text: "hello\n" },
    { what: "binary", text: "\u0000\u0001\ufffd" },
    { what: "without config", text: "config:\n" },
    { what: "with a list as config", text: "config: [1]\n" },
    { what: "indented with tabs", text: "config:\n\tinference-stacks:stage: development\n" },
    { what: "nested beyond reason", text: `config: ${"[".repeat(20_000)}` },
    { what: "two documents", text: `${right}---\n${right}` },
    { what: "with a key twice", text: `${right}  inference-stacks:stage: production\n` },
    { what: "with keys outside config", text: `${right}models: {}\n` },
  ])("$what", async ({ text }) => {
    expect(await refusal(text)).toMatch(/^environment-\d+\.yaml: \d+ problems?\n/);
  });

  it.each([
    { what: "Windows line ends", text: right.replaceAll("\n", "\r\n") },
    { what: "a byte order mark", text: `\ufeff${right}` },
  ])("may have $what", async ({ text }) => {
    expect((await planOf(folder, text)).status).toBe(0);
  });
});

describe("values", () => {
  const chat = laptop.models.chat;
  it.each([
    { what: "a list of models", change: { models: [] }, says: "a mapping of names" },
    { what: "no pool", change: { pools: {} }, says: "at least one pool" },
    { what: "a name with umlauts", change: { models: { größe: chat } }, says: 'models["größe"]' },
    { what: "an emoji as name", change: { models: { "🚀": chat } }, says: "lower-case letters" },
    { what: "the name of the store's namespace", change: { models: { store: chat } }, says: "model-store" },
    { what: "a number beyond all", change: { models: { chat: { ...chat, contextTokens: 1e300 } } }, says: "16777216" },
    { what: "infinity", change: { models: { chat: { ...chat, concurrency: Infinity } } }, says: "from 1 to 4096" },
    { what: "not a number", change: { models: { chat: { ...chat, concurrency: Number.NaN } } }, says: "concurrency" },
    { what: "no node", change: { pools: { p: { ...laptop.pools.laptop, maxNodes: 0 } } }, says: "pools.p.maxNodes" },
    {
      what: "a weight format that is none",
      change: { models: { chat: { ...chat, quantization: "nonsense" } } },
      says: "a weight format of ollama",
    },
    {
      what: "an Ollama build that the catalogue does not know",
      change: { models: { chat: { ...chat, quantization: "Q8_0" } } },
      says: "a build that the catalogue knows of qwen2.5-0.5b-instruct: Q4_K_M",
    },
    {
      what: "two models with one served name",
      change: { models: { a: { ...chat, servedName: "x" }, b: { ...chat, servedName: "x" } } },
      says: "models.a answers to this one",
    },
    {
      what: "a version that is none",
      change: { models: { chat: { ...chat, engineVersion: "latest" } } },
      says: "a full version",
    },
    { what: "no consumer", change: { gateway: { ...laptop.gateway, consumers: [] } }, says: "gateway.consumers" },
    {
      what: "a self-signed certificate in production",
      change: { stage: "production" },
      says: "gateway.tls",
    },
  ])("$what", async ({ change, says }) => {
    expect(await refusal({ ...laptop, ...change })).toContain(says);
  });

  it.each([
    { what: "a GGUF format with vLLM", change: { quantization: "Q4_K_M" }, says: "a weight format of vllm" },
    { what: "more GPUs than a node has", change: { vllm: { tensorParallel: 64 } }, says: "1 to 2" },
    {
      what: "a foreign bucket",
      change: { source: "s3://other/chat" },
      says: "copy the files to s3://models/chat (docs/own-weights.md)",
    },
    { what: "a whole bucket", change: { source: "s3://models/" }, says: "s3://models/…" },
    { what: "a neighbour of the bucket", change: { source: "s3://models-2/x" }, says: "s3://models/…" },
  ])("$what", async ({ change, says }) => {
    expect(await refusal(onA10(change))).toContain(says);
  });

  it("names that JavaScript has for itself are names like others", async () => {
    const models = { constructor: chat, "to-string": chat };
    expect((await planOf(folder, { ...laptop, models })).status).toBe(0);
  });

  it("an Ollama build may be named in lower case", async () => {
    const models = { chat: { ...chat, quantization: "q4_k_m" } };
    expect((await planOf(folder, { ...laptop, models })).status).toBe(0);
  });
});

describe("a model's config.json", () => {
  const source = "hf://example/model";

  it.each([
    { what: "truncated", text: '{"model_type": "llama", "hidden_size": 40', says: "is no JSON" },
    { what: "empty", text: "", says: "is no JSON" },
    { what: "a list", text: "[]", says: "must be a JSON object" },
    { what: "of an unknown family", text: '{"model_type": "zorg", "hidden_size": 64}', says: "unknown model family" },
    {
      what: "hostile",
      text: '{"__proto__": {"x": 1}, "model_type": "llama", "hidden_size": -5, "num_hidden_layers": 1e309, "num_attention_heads": "x"}',
      says: "expected a whole number",
    },
    { what: "nested beyond reason", text: "[".repeat(100_000), says: "is no JSON" },
  ])("that is $what", async ({ text, says }) => {
    const config = join(folder, "config.json");
    writeFileSync(config, text);
    for (const engine of [
      { engine: "vllm", source },
      { engine: "ollama", source: "ollama://model" },
    ]) {
      const err = await refusal(onA10({}, { models: { chat: { config, ...engine } } }));
      expect(err).toMatch(/^environment-\d+\.yaml: \d+ problems?\n\n {2}1\. models\.chat\.config \(line \d+\)\n/);
      expect(err).toContain(says);
    }
  });

  it.each([
    { what: "missing", config: "missing/config.json", says: "there is no" },
    { what: "a folder", config: folder, says: "is a folder" },
    { what: "a device", config: "/dev/zero", says: "is a device or a pipe" },
    { what: "fetched without TLS", config: "http://example.invalid/config.json", says: "use https://" },
    { what: "in a bucket without a key", config: "s3://bucket", says: "names a bucket and a key" },
  ])("that is $what", async ({ config, says }) => {
    const err = await refusal(onA10({}, { models: { chat: { config, source } } }));
    expect(err).toMatch(/^environment-\d+\.yaml: 1 problem\n\n {2}1\. models\.chat\.config \(line \d+\)\n/);
    expect(err).toContain(says);
  });

  it("with a broken hf_quant_config.json beside it", async () => {
    const own = join(folder, "quantized");
    mkdirSync(own);
    writeFileSync(join(own, "config.json"), '{"model_type": "llama"}');
    writeFileSync(join(own, "hf_quant_config.json"), "{nope");
    const err = await refusal(onA10({}, { models: { chat: { config: "quantized/config.json", source } } }));
    expect(err).toContain("in the hf_quant_config.json next to it it is no JSON");
  });

  it("is never quoted: it can be any file that somebody named by mistake", async () => {
    const config = join(folder, "passwd");
    writeFileSync(config, "root:x:0:0:root:/root:/bin/bash\n");
    const err = await refusal(onA10({}, { models: { chat: { config, source } } }));
    expect(err).toContain("is no JSON");
    expect(err).not.toContain("root:");
  });

  it("without a family is told so in one line", async () => {
    const config = join(folder, "nothing.json");
    writeFileSync(config, "{}");
    const err = await refusal(onA10({}, { models: { chat: { config, source } } }));
    expect(err).toContain("(found nothing)");
    expect(err.length).toBeLessThan(600);
  });
});

it("lists five mistakes of tenants at once", async () => {
  const err = await refusal({
    ...laptop,
    gateway: {
      ...laptop.gateway,
      consumers: {
        web: { models: ["caht"] },
        batch: { models: [] },
        reports: { requestsPerMinute: 0 },
        nightly: { tokenPerMinute: 100 },
      },
      auth: { oidc: { issuer: "http://login.example.com", audience: "inference" } },
    },
  });
  expect(err).toContain(": 5 problems");
  for (const path of ["web.models[0]", "batch.models", "reports.requestsPerMinute", "nightly.tokenPerMinute"]) {
    expect(err).toContain(`. gateway.consumers.${path} (line `);
  }
  expect(err).toContain(". gateway.auth.oidc.issuer (line ");
  expect(err).toContain('did you mean "chat"?');
  expect(err).toContain('did you mean "tokensPerMinute"?');
  expect(err).toContain("a whole number from 1 to 1000000 (requests)");
  expect(err.match(/^ {5}(value|allowed|fix) /gm)).toHaveLength(15);
});
