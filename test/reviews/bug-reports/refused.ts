import { vllmArguments } from "../../../components/serving/vllm-args";
import { filesToCopy } from "../../../components/storage/scripts/model-files.ts";
import { vllmArgument } from "../../../engines/vllm/options";
import { laptop } from "../../cli/run";
import { type BugReport, COMMIT, onH200, onL40s, onNodes, type Proof } from "./report";

const REMOTE_CODE = { "trust-remote-code": true };
const KIMI = { model: "kimi-k2.5", source: `hf://moonshotai/Kimi-K2.5@${COMMIT}` };
const FP8 = {
  config: "test/fixtures/models/Qwen--Qwen3-235B-A22B-FP8/config.json",
  source: `hf://Qwen/Qwen3-235B-A22B-FP8@${COMMIT}`,
};
const AWQ = {
  model: "qwen2.5-72b-instruct",
  source: `hf://Qwen/Qwen2.5-72B-Instruct-AWQ@${COMMIT}`,
  quantization: "awq",
  concurrency: 8,
};
const DEEPSEEK = {
  config: "test/fixtures/bug-reports/deepseek-v3.2/config.json",
  source: `hf://deepseek-ai/DeepSeek-V3.2@${COMMIT}`,
  concurrency: 4,
};
/** A consumer with a limit of tokens. */
const LIMITED = { gateway: { ...laptop.gateway, consumers: { trial: { tokensPerMinute: 1000 } } } };
const VISION = { model: "qwen2.5-vl-7b-instruct", concurrency: 2 };
const LLAMA = { model: "llama-3.1-8b-instruct", concurrency: 4 };

/** Attention in six layers, Mamba in 23, on one card that is told 1024 sequences by default. */
const HYBRID = { model: "nemotron-3-nano-30b-a3b", concurrency: 16 };
const ONE_H100 = { card: "h100-pcie" };

/** A model with speculative decoding. */
function drafted(speculation: object) {
  return onL40s({ ...LLAMA, args: { "speculative-config": { num_speculative_tokens: 3, ...speculation } } });
}

/** A model's vocabulary that older releases fetch when they start. */
function noVocabulary(model: object, ...says: string[]): Proof {
  return {
    environment: onH200({ concurrency: 4, ...model }),
    refused: [{ path: "models.m", rule: "engine-release", says: ["0.31.0", ...says] }],
  };
}

/** What a plan refuses, or chooses, so that the engine starts. */
export const REFUSED: readonly BugReport[] = [
  {
    reports:
      "vllm-project/vllm#49064, kaito-project/kaito#2319, vllm-project/recipes#551, #906, NVIDIA-AI-Blueprints/retail-shopping-assistant#95, NVIDIA-NeMo/RL#2620",
    failure: "fewer recurrent states in memory than the engine's default of max-num-seqs",
    proofs: [
      {
        environment: onL40s(HYBRID, ONE_H100),
        planned: ({ models }) =>
          models.map(({ maxNumSeqs = 0, concurrency, ...model }) => [
            // 9.68 GiB hold 806 pages of 12.3 MiB by the estimate, and fewer at its worse edge; the default is 1024.
            maxNumSeqs > 400 && maxNumSeqs < 806 && maxNumSeqs >= concurrency,
            vllmArguments({ ...model, concurrency, maxNumSeqs }, "/models/current").includes(
              `--max-num-seqs=${maxNumSeqs}`,
            ),
          ]),
        is: [[true, true]],
      },
      {
        environment: onL40s({ ...HYBRID, vllm: { maxNumSeqs: 1024 } }, ONE_H100),
        refused: [{ path: "models.m", rule: "model-fits", says: ["max-num-seqs"] }],
      },
      { environment: onL40s({ ...HYBRID, vllm: { maxNumSeqs: 256 } }, ONE_H100), refused: [] },
    ],
  },
  {
    reports:
      "vllm-project/recipes#116, vllm-project/tpu-inference#2927, NVIDIA/TensorRT-LLM#15751, ggml-org/llama.cpp#26193",
    failure: "code of the repository is needed, and is not there",
    proofs: [
      {
        environment: onH200({ ...KIMI, concurrency: 4 }),
        refused: [{ path: "models.m", rule: "remote-code", says: ["kimi_k2", "tokenization_kimi.py"] }],
      },
      {
        environment: onH200({ ...KIMI, source: "s3://models/kimi", args: REMOTE_CODE }),
        refused: [{ path: "models.m.args.trust-remote-code", says: ["hf://org/name@<commit>"] }],
      },
      {
        environment: onH200({ ...KIMI, source: "hf://moonshotai/Kimi-K2.5", args: REMOTE_CODE }),
        refused: [{ path: "models.m.args.trust-remote-code" }],
      },
      {
        environment: onH200({ ...KIMI, concurrency: 4, args: REMOTE_CODE }),
        advised: [{ path: "models.m", rule: "engine-options", says: ["trust-remote-code"] }],
      },
      {
        asked: () => {
          const files = ["config.json", "model.safetensors", "tiktoken.model", "tokenization_kimi.py"];
          const form = { index: undefined, files: ["model.safetensors"], safetensors: true };
          return [false, true].map((withCode) => filesToCopy(files, form, form.files, withCode));
        },
        is: [
          ["config.json", "model.safetensors", "tiktoken.model"],
          ["config.json", "model.safetensors", "tiktoken.model", "tokenization_kimi.py"],
        ],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#3719, noonghunna/club-3090#322, tt-inference-server#4026",
    failure: "a drafter is named by its repository, which an offline pod cannot fetch",
    proofs: [
      {
        environment: drafted({ method: "eagle3", model: "org/EAGLE3-draft" }),
        refused: [{ path: "models.m.args.speculative-config", says: ["org/EAGLE3-draft", "ngram"] }],
      },
      {
        environment: drafted({ method: "ngram", prompt_lookup_max: 4 }),
        refused: [],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#22525, openai/harmony#101, #46, #95, ai-dynamo/dynamo#15155",
    failure: "gpt-oss fetches its vocabulary when it starts",
    proofs: [
      noVocabulary({ model: "gpt-oss-20b", engine: "ray" }, "0.22.0"),
      noVocabulary({ model: "gpt-oss-120b", engineVersion: "0.30.0" }, "0.30.0"),
      noVocabulary({ model: "gpt-oss-120b", vllm: { distributedExecutor: "ray" } }, "0.17.1"),
      { environment: onH200({ model: "gpt-oss-120b", concurrency: 4, engineVersion: "0.31.0" }), refused: [] },
      { environment: onH200({ model: "gpt-oss-120b", concurrency: 4 }), refused: [] },
    ],
  },
  {
    reports: "vllm-project/vllm#17977, #39279, ByteDance-Seed/Seed-X-7B#7",
    failure: "a base model has no chat template, and every chat answers 400",
    proofs: [
      {
        environment: onL40s({ model: "llama-3.1-8b", task: "chat" }),
        refused: [{ path: "models.m.task", says: ["completion", "vllm.chatTemplate"] }],
      },
      { environment: onL40s({ model: "llama-3.1-8b", concurrency: 4 }), refused: [] },
    ],
  },
  {
    reports: "vllm-project/vllm#10904, ogx-ai/ogx#643",
    failure: "images by URL time out, for the pod reaches no web server",
    proofs: [
      { environment: onL40s(VISION), advised: [{ path: "models.m", rule: "images-by-url", says: ["data:"] }] },
      { environment: onL40s(LLAMA), advised: [], notAdvised: ["images-by-url"] },
      {
        environment: onL40s({ ...VISION, args: { "allowed-media-domains": ["images.example.com"] } }),
        refused: [{ path: "models.m.args.allowed-media-domains", says: ["data:"] }],
      },
    ],
  },
  {
    reports: "no report: the review itself",
    failure: "machines with H100 SXM or B200 on one's own premises cannot be declared",
    proofs: [
      { environment: onL40s(LLAMA, { card: "h100-sxm" }), refused: [] },
      { environment: onL40s(LLAMA, { card: "b200" }), refused: [] },
      {
        environment: onL40s(LLAMA, { card: "h100" }),
        refused: [{ path: "pools.gpu.node.card", says: ["h100-sxm", "h100-pcie"] }],
      },
    ],
  },
  {
    reports: "aws-samples/deepseek-using-vllm-on-eks#11",
    failure: "the disk of a node is smaller than the weights",
    proofs: [
      {
        environment: onH200({ model: "llama-3.3-70b-instruct", concurrency: 4 }, { localNvmeGB: 100 }),
        refused: [{ path: "pools.gpu.node.localNvmeGB", rule: "local-disks", says: ["100 GB", /\d+ GB or more/] }],
      },
      { environment: onH200({ model: "llama-3.3-70b-instruct", concurrency: 4 }, { localNvmeGB: 4000 }), refused: [] },
    ],
  },
  {
    reports: "vllm-project/vllm#54178, #52997, ROCm/ATOM#1488",
    failure: "tensor parallelism cuts through blocks of FP8 scales",
    proofs: [
      {
        environment: onH200({ ...FP8, concurrency: 4, vllm: { tensorParallel: 8 } }),
        refused: [{ path: "models.m", rule: "model-fits", says: ["TP 8", "1536", "192", "128"] }],
      },
      {
        environment: onH200({ ...FP8, concurrency: 16 }),
        planned: ({ models }) =>
          models.map(({ tensorParallel, pipelineParallel }) => [tensorParallel, pipelineParallel]),
        is: [[4, 1]],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#21695, QwenLM/Qwen3-VL#831",
    failure: "tensor parallelism cuts through groups of AWQ",
    proofs: [
      {
        environment: onH200({ ...AWQ, vllm: { tensorParallel: 8 } }),
        refused: [{ path: "models.m", rule: "model-fits", says: ["TP 8", "29568", "3696", "128"] }],
      },
      {
        environment: onL40s(AWQ, { card: "a10", gpuCount: 8, memoryGiB: 512, vcpus: 64 }),
        planned: ({ models }) =>
          models.map(({ tensorParallel, pipelineParallel }) => [tensorParallel, pipelineParallel]),
        is: [[1, 4]],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#1157, #14817",
    failure: "a number type or weight format that the card cannot compute with",
    proofs: [
      {
        environment: onL40s({ model: "qwen2.5-0.5b-instruct", concurrency: 2 }, { card: "v100-16gb" }),
        refused: [{ path: "models.m", rule: "model-fits", says: ["V100", "7.0", "7.5"] }],
      },
      {
        environment: onL40s({ model: "gpt-oss-20b", concurrency: 2 }, { card: "t4", gpuCount: 4 }),
        refused: [{ path: "models.m", rule: "model-fits", says: ["T4", "7.5", "8.0", "mxfp4"] }],
      },
      {
        environment: onL40s(
          { model: "qwen2.5-0.5b-instruct", concurrency: 2, args: { dtype: "bfloat16" } },
          { card: "t4" },
        ),
        refused: [{ path: "models.m", rule: "model-fits", says: ["T4", "bfloat16", "8.0"] }],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#16757, #8793",
    failure: "a context beyond what config.json allows",
    proofs: [
      {
        environment: onL40s({ model: "qwen2.5-7b-instruct", contextTokens: 131_072, concurrency: 1 }),
        refused: [{ path: "models.m", rule: "context-length", says: ["131072", "32768"] }],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#29849",
    failure: "DeepSeek-V3.2 has no chat template, and the engine must know its own",
    proofs: [
      {
        environment: onH200(DEEPSEEK),
        planned: ({ models }) =>
          models.map((model) => [
            model.engineVersion,
            vllmArguments(model, "/models/current").filter((word) => /chat-template|tokenizer-mode/.test(word)),
          ]),
        // This release takes the mode below for the family by itself (config/model.py).
        is: [["0.33.0", []]],
      },
      { asked: () => Object(vllmArgument("tokenizer-mode")).choices?.includes("deepseek_v32"), is: true },
    ],
  },
  {
    reports: "ai-gateway#1754, higress#2187",
    failure: "streams escape limits of tokens",
    proofs: [
      {
        environment: onNodes(
          { m: { model: "llama-3.2-3b-instruct", engine: "triton", task: "completion" } },
          {},
          {},
          LIMITED,
        ),
        refused: [{ path: "gateway.consumers.trial.tokensPerMinute", says: ["1000", "requestsPerMinute"] }],
      },
      {
        heldBy: "test/e2e/gateway/quotas.test.ts",
        titled: "count the tokens of streams of clients that do not ask for them, and end what they began",
      },
    ],
  },
  {
    reports: "no report: names that users give",
    failure: "names that collide, are too long, or have characters of a shell",
    proofs: [
      {
        environment: onNodes(
          { a: { ...LLAMA, servedName: "x" }, b: { ...LLAMA, servedName: "x" } },
          {},
          { maxNodes: 2 },
        ),
        refused: [{ path: "models.b.servedName", says: ["models.a", "x-2"] }],
      },
      {
        environment: onL40s({ ...LLAMA, servedName: "x", adapters: { x: `hf://org/lora@${COMMIT}` } }),
        refused: [{ path: "models.m.adapters.x", says: ["m-x"] }],
      },
      {
        environment: onNodes({ ["a".repeat(41)]: LLAMA }),
        refused: [{ path: `models.${"a".repeat(41)}`, says: ["40"] }],
      },
      {
        environment: onL40s({ ...LLAMA, servedName: "$(HOME)" }),
        refused: [{ path: "models.m.servedName", says: ["$("] }],
      },
      {
        environment: onL40s({ ...LLAMA, servedName: "Org/Name:7b+ü'\"" }),
        planned: ({ models }) => models.flatMap((model) => vllmArguments(model, "/models/current")[1]),
        is: ["--served-model-name=Org/Name:7b+ü'\""],
      },
    ],
  },
];
