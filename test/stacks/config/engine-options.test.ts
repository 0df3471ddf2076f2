import { describe, expect, it } from "vitest";
import { formatProblems } from "../../../stacks/config";
import { MISTAKES } from "./engine-option-mistakes";
import { parseWith, problemsWith } from "./samples";

const model = { model: "qwen2.5-7b-instruct" };
const commit = "0123456789abcdef0123456789abcdef01234567";

function withModel(settings: Record<string, unknown>) {
  return { models: { chat: { ...model, ...settings } } };
}

const ollama = { model: "llama-3.2-3b-instruct", engine: "ollama" };

describe("args and env", () => {
  it.each(MISTAKES)("refuse %s", (_, settings, { path, allowed, fix }) => {
    const problems = problemsWith(withModel(settings));
    expect(problems.map((problem) => problem.path)).toEqual([`models.chat.${path}`]);
    expect(problems[0]?.allowed).toContain(allowed);
    expect(problems[0]?.fix).toContain(fix);
  });

  it("send no drafter into a bucket, whose code would have no commit", () => {
    const source = `hf://org/name@${"a".repeat(40)}`;
    const drafter = { "speculative-config": { model: "org/drafter", method: "eagle3", num_speculative_tokens: 2 } };
    const fixOf = (args: object) => problemsWith(withModel({ source, args }))[0]?.fix;
    expect(fixOf(drafter)).toContain("s3://");
    expect(fixOf({ ...drafter, "trust-remote-code": true })).toMatch(/^take a method that needs no other model[^/]*$/);
    expect(fixOf({ "generation-config": "Qwen/y", "trust-remote-code": true })).not.toContain("s3://");
  });

  it("let variables name addresses of which the plan has a remark, of the pod, and paths", () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://traces.example.com:4317", A: "http://127.0.0.1:1", B: "a/b" };
    expect(problemsWith(withModel({ env }))).toEqual([]);
  });

  it.each([
    ["a name", { env: { MY_SERVICE_TOKEN: "swordfish-1" } }],
    ["a token's published prefix, whatever the name", { env: { GREETING: "hf_swordfish1abcdefghij" } }],
    ["a token among a flag's values", { args: { "additional-config": { hub: "hf_swordfish1abcdefghij" } } }],
    ["a key of the engine", { env: { VLLM_API_KEY: "swordfish-1" } }],
  ])("refuse a secret by %s, and do not print it", (_, settings) => {
    const problems = problemsWith(withModel(settings));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.fix).toContain("remove it");
    expect(formatProblems(problems)).not.toContain("swordfish");
  });

  it.each([
    ["heads inside the checkpoint", { "speculative-config": { method: "mtp", num_speculative_tokens: 1 } }],
    ["n-grams", { "speculative-config": { model: "ngram", method: "ngram", prompt_lookup_max: 4 } }],
    ["a path below the model's folder", { "speculative-config": { model: "/models/current/eagle", method: "eagle3" } }],
    ["overrides by name", { "speculative-config": { method: "mtp", hf_overrides: { rope_theta: 1 } } }],
    ["caches in writable folders", { "compilation-config": { cache_dir: "/tmp/inductor", mode: 3 } }],
    [
      "its own port",
      { "kv-transfer-config": { kv_connector: "X", kv_connector_extra_config: { at: "tcp://127.0.0.1:5" } } },
    ],
    [
      "text for the template",
      { "default-chat-template-kwargs": { zone: "Europe/Berlin", page: "https://example.com" } },
    ],
    ["tokens of reasoning", { "reasoning-config": { reasoning_start_str: "<think>", reasoning_end_str: "</think>" } }],
    ["headers of browsers", { "allowed-headers": ["text/plain"] }],
    ["the checkpoint's own defaults", { "generation-config": "vllm" }],
    ["an address of which the plan has a remark", { "otlp-traces-endpoint": "http://traces.example.com:4317" }],
  ])("let pass %s", (_, args) => {
    expect(problemsWith(withModel({ args }))).toEqual([]);
  });

  it("take no number for a secret, whatever the variable is called", () => {
    expect(problemsWith(withModel({ env: { MY_MAX_TOKENS: 4096, OTHER_KEYS: "12" } }))).toEqual([]);
  });

  it("take what vLLM takes", () => {
    const settings = {
      source: `hf://Qwen/Qwen2.5-7B-Instruct@${commit}`,
      args: {
        "enable-auto-tool-choice": true,
        "tool-call-parser": "hermes",
        "enable-prefix-caching": false,
        "max-num-batched-tokens": "8k",
        "limit-mm-per-prompt": { image: 2 },
        "default-chat-template-kwargs": '{"enable_thinking": false}',
        "cudagraph-capture-sizes": [1, 2, 4],
        "lora-target-modules": "o_proj",
        watermark: 0.1,
        "trust-remote-code": true,
        "enable-log-requests": true,
      },
      env: {
        VLLM_LOG_STATS_INTERVAL: 30,
        VLLM_USE_DEEP_GEMM: false,
        // Not a secret: a threshold.
        VLLM_SHARED_EXPERTS_STREAM_TOKEN_THRESHOLD: 256,
        NCCL_DEBUG: "INFO",
      },
    };
    expect(problemsWith(withModel(settings))).toEqual([]);
    const parsed = parseWith(withModel(settings));
    expect(parsed.ok && parsed.environment.models.chat).toMatchObject({ args: settings.args, env: settings.env });
  });

  it("let pass what another version may know, and refuse what is refused all the same", () => {
    const args = { "flag-of-tomorrow": true, "tool-call-parser": "tomorrow" };
    expect(problemsWith(withModel({ engineVersion: "0.34.0", args }))).toEqual([]);
    expect(problemsWith(withModel({ args })).map(({ path }) => path)).toEqual([
      "models.chat.args.flag-of-tomorrow",
      "models.chat.args.tool-call-parser",
    ]);
    const hole = { "allowed-local-media-path": "/" };
    expect(problemsWith(withModel({ engineVersion: "0.34.0", args: hole }))).toHaveLength(1);
  });

  it("tell every mistake of every model at once", () => {
    const models = {
      chat: { ...model, args: { host: "x", sead: 1 }, env: { VLLM_SERVER_DEV_MODE: 1 } },
      other: { ...model, env: { MY_PASSWORD: "swordfish" } },
    };
    expect(problemsWith({ models }).map(({ path }) => path)).toEqual([
      "models.chat.args.host",
      "models.chat.args.sead",
      "models.chat.env.VLLM_SERVER_DEV_MODE",
      "models.other.env.MY_PASSWORD",
    ]);
  });
});

describe("args and env of Ollama", () => {
  it.each([
    ["flags: it has none", { args: { verbose: true } }, "args", "Ollama takes no flags"],
    [
      "what the plan decides",
      { env: { OLLAMA_CONTEXT_LENGTH: 4096 } },
      "env.OLLAMA_CONTEXT_LENGTH",
      "set by contextTokens",
    ],
    ["what the platform owns", { env: { OLLAMA_HOST: "::" } }, "env.OLLAMA_HOST", "at its own port"],
    ["what is misspelt", { env: { OLLAMA_MAX_QUEU: 1 } }, "env.OLLAMA_MAX_QUEU", "a variable of Ollama 0.32.15"],
    ["a wrong type", { env: { OLLAMA_MAX_QUEUE: "many" } }, "env.OLLAMA_MAX_QUEUE", "a whole number"],
  ])("refuse %s", (_, settings, path, allowed) => {
    const problems = problemsWith({ models: { small: { ...ollama, ...settings } } });
    expect(problems.map((problem) => problem.path)).toEqual([`models.small.${path}`]);
    expect(problems[0]?.allowed).toContain(allowed);
  });

  it("take what Ollama takes", () => {
    const env = { OLLAMA_MAX_QUEUE: 64, OLLAMA_DEBUG: 1, HTTPS_PROXY: "http://proxy.example.com:3128" };
    expect(problemsWith({ models: { small: { ...ollama, env } } })).toEqual([]);
  });
});
