/**
 * What must not be deployed, as a user would write it: each row is a whole environment that `npm run plan` refuses with
 * a message that names the setting, what it is, what may stand there, and what to do.
 *
 * A row of your own: one entry in `rows`. `path`, `value`, `allowed` and `fix` are parts of the message; of a mistake
 * in the file (status 2) each must stand in its own line of the problem, of a refusal by the planner or a policy
 * (status 1) in the violation.
 */
import { describe, expect, it } from "vitest";
import { evaluatePolicies } from "../policies/evaluate";
import { serviceLinksOff } from "../policies/rules/service-links-off";
import { decisionOf, wholeDecisionOf } from "./cli/decision";
import { laptop, onA10, planOf, useFolder } from "./cli/run";
import { object } from "./policies/cases";

type Sections = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly what: string;
  readonly config: Sections;
  /** The setting as it is written: `models.chat.contextTokens`. */
  readonly path: string;
  /** What it is, as the message shows it. */
  readonly value: string;
  /** What may stand there, or why this may not. */
  readonly allowed: string;
  readonly fix: string;
  /** The same after the fix: it is planned. */
  readonly mended?: Sections;
}

const folder = useFolder();

const SYSTEM = { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 };
const small = { model: "qwen2.5-0.5b-instruct", contextTokens: 4096, concurrency: 2 };
const chat = { model: "qwen2.5-7b-instruct", concurrency: 2 };
const PRODUCTION: Sections = {
  stage: "production",
  gateway: { hostname: "inference.example.com", tls: { kind: "acme", email: "platform@example.com" } },
};

/** One model on Oracle's machines of a shape. */
function onShape(shape: string, model: Sections, maxNodes = 1): Sections {
  return onA10({ ...model }, { pools: { system: SYSTEM, gpu: { shape, maxNodes } } });
}

const finder = { model: "bge-m3", engine: "ollama", contextTokens: 1024 };

/** A laptop's model, and one that joins a server. */
function onLaptop(ollama: Sections, others: Sections = {}, changes: Sections = {}): Sections {
  return { ...laptop, models: { ...laptop.models, ...others, finder: { ...finder, ...changes, ollama } } };
}

/** One model on machines of one's own. */
function onCards(card: string, model: Sections, node: Sections = {}, maxNodes = 1, models?: Sections): Sections {
  const machine = { card, gpuCount: 1, vcpus: 32, memoryGiB: 256, ...node };
  return {
    ...laptop,
    cluster: { kind: "edge" },
    pools: { gpu: { node: machine, maxNodes } },
    models: models ?? { chat: model },
  };
}

/** A model of one's own, and one of others. */
function withExternal(url: string, stage = "development"): Sections {
  const studio = { engine: "external", external: { url } };
  const gateway = { ...laptop.gateway, tls: { kind: "secret", secretName: "gateway-tls" } };
  return { ...laptop, stage, gateway, models: { ...laptop.models, studio } };
}

/** A checkpoint on a server of KServe's. */
const TEXT = { model: "qwen2.5-7b-instruct", engine: "triton", task: "completion", concurrency: 1 };

/** Needs more than the GPUs of one node. */
const OVER_NODES = { model: "llama-3.1-405b-instruct", contextTokens: 4096, concurrency: 2 };

/** A gateway named after its address. */
function namedAfter(address: string, gateway: Sections = {}, others: Sections = {}): Sections {
  const wildcardDns = { service: "sslip.io", address };
  return { ...laptop, ...others, gateway: { wildcardDns, tls: { kind: "self-signed" }, ...gateway } };
}

/** The same behind a load balancer of AWS with these settings. */
function onAws(serviceAnnotations: Sections, address: string): Sections {
  const pools = {
    system: { shape: "m7i.2xlarge" },
    gpu: { shape: "g6.4xlarge", maxNodes: 1 },
  };
  const { gateway } = namedAfter(address, { serviceAnnotations });
  return onA10({ ...small }, { cluster: { kind: "aws" }, pools, gateway });
}

const NODES = ["198.51.100.20", "192.168.1.30"] as const;
const AWS_LB = "service.beta.kubernetes.io/aws-load-balancer-";
const ELASTIC = { [`${AWS_LB}scheme`]: "internet-facing", [`${AWS_LB}eip-allocations`]: "eipalloc-0a1b2c3d4e5f60718" };

const CONTROL = { enabled: true, image: "registry.example.com/model-control:1.0.0" };

const PEAK = { requestsPerSecond: 0.2 };

/** One chat model on A10s, which are slow enough for levels that people ask for. */
function onSlowCards(model: Sections, maxNodes = 4): Sections {
  return onShape("VM.GPU.A10.2", { concurrency: 2, ...model }, maxNodes);
}

/** A model that sleeps, but for these times, on machines that come for it. */
function byTheClock(schedule: readonly Sections[]): Sections {
  const pools = { system: SYSTEM, gpu: { shape: "VM.GPU.A10.1", minNodes: 0, maxNodes: 1 } };
  return onA10({ replicas: { min: 0, max: 1 }, scaling: { schedule } }, { pools, budget: { monthlyUsd: 300 } });
}

const rows: readonly Refusal[] = [
  {
    what: "a time per token that no card of the pool keeps",
    config: onSlowCards({ serviceLevel: { tpotMs: 3 } }),
    path: "models.chat",
    value: "3 ms per token",
    allowed: "is below the floor of",
    fix: "raise models.chat.serviceLevel.tpotMs from 3 to",
    mended: onSlowCards({ serviceLevel: { tpotMs: 300 } }),
  },
  {
    what: "replicas by the clock that cost more than the budget",
    config: byTheClock([{ from: "0 0 * * *", to: "59 23 * * *", timezone: "Europe/Berlin", replicas: 1 }]),
    path: "budget.monthlyUsd",
    value: "over the budget of 300.00",
    allowed: "what schedules start",
    fix: "models.chat.scaling.schedule[0]",
    mended: byTheClock([{ from: "0 9 * * 1-5", to: "0 12 * * 1-5", timezone: "Europe/Berlin", replicas: 1 }]),
  },
  {
    what: "machines that are to be stopped by hand, held against a budget",
    config: onA10(
      {},
      { pools: { system: SYSTEM, gpu: { shape: "VM.GPU.A10.1", hoursPerDay: 0.5 } }, budget: { monthlyUsd: 300 } },
    ),
    path: "budget.monthlyUsd",
    value: "over the budget of 300.00",
    allowed: "what always runs",
    fix: "raise the budget",
  },
  {
    what: "a disk of one's own that does not hold what pods write, images and volumes",
    config: onCards("rtx-4090", chat, { localNvmeGB: 60 }),
    path: "pools.gpu.node.localNvmeGB",
    value: "60 GB",
    allowed: "of the model store",
    fix: "serve smaller models",
    mended: onCards("rtx-4090", chat, { localNvmeGB: 1000 }),
  },
  {
    what: "a number of tokens a second that no card of the pool keeps",
    config: onSlowCards({ serviceLevel: { tokensPerSecond: 300 } }),
    path: "models.chat",
    value: "3.3 ms per token",
    allowed: "on NVIDIA A10, TP 2",
    fix: "lower models.chat.serviceLevel.tokensPerSecond from 300 to",
    mended: onSlowCards({ serviceLevel: { tokensPerSecond: 3 } }),
  },
  {
    what: "a first token that no card of the pool has in time",
    config: onSlowCards({ traffic: { requestsPerSecond: 0.1 }, serviceLevel: { ttftMs: 5 } }),
    path: "models.chat",
    value: "5 ms to the first token",
    allowed: "is below the floor of",
    fix: "models.chat.serviceLevel.ttftMs",
    mended: onSlowCards({ traffic: { requestsPerSecond: 0.1 }, serviceLevel: { ttftMs: 30_000 } }),
  },
  {
    what: "fewer replicas than the traffic takes",
    config: onSlowCards({ replicas: { max: 1 }, traffic: { requestsPerSecond: 20 }, serviceLevel: { tpotMs: 200 } }),
    path: "models.chat",
    value: "40 requests/s at the peak",
    allowed: "replicas.max is 1",
    fix: "or remove replicas: they follow from traffic then",
    mended: onSlowCards({ traffic: { requestsPerSecond: 20 }, serviceLevel: { tpotMs: 200 } }, 100),
  },
  {
    what: "traffic that takes more machines than there may be",
    config: onSlowCards({ traffic: { requestsPerSecond: 20 }, serviceLevel: { tpotMs: 200 } }, 1),
    path: "models.chat",
    value: "40 requests/s at the peak",
    allowed: "maxNodes 1",
    fix: "raise pools.gpu.maxNodes from 1 to",
    mended: onSlowCards({ traffic: { requestsPerSecond: 20 }, serviceLevel: { tpotMs: 200 } }, 100),
  },
  {
    what: "levels that none of the models keeps, beside what drives models at run time",
    config: { ...onSlowCards({ serviceLevel: { tpotMs: 3 } }), modelControl: CONTROL },
    path: "models.chat",
    value: "3 ms per token",
    allowed: "is below the floor of",
    fix: "raise models.chat.serviceLevel.tpotMs from 3 to",
    mended: { ...onSlowCards({ serviceLevel: { tpotMs: 300 } }), modelControl: CONTROL },
  },
  {
    what: "a model over several nodes alone, beside what drives models at run time",
    config: { ...onShape("BM.GPU.H100.8", OVER_NODES, 2), modelControl: CONTROL },
    path: "modelControl.enabled",
    value: "every model runs over several nodes",
    allowed: "drives only replicas of one node",
    fix: "Write enabled: false, or add a model that fits one node",
    mended: onShape("BM.GPU.H100.8", OVER_NODES, 2),
  },
  {
    what: "requests that the context does not hold",
    config: onSlowCards({ traffic: { ...PEAK, inputTokens: 9000 } }),
    path: "models.chat.traffic.inputTokens",
    value: "9000",
    allowed: "at most contextTokens, 8192",
    fix: "or write contextTokens: 9300 or more",
    mended: onSlowCards({ traffic: { ...PEAK, inputTokens: 9000 }, contextTokens: 9300 }),
  },
  {
    what: "traffic of a model that makes no tokens",
    config: onSlowCards({ model: "bge-m3", traffic: PEAK }),
    path: "models.chat.traffic",
    value: "requestsPerSecond",
    allowed: "only with task chat or completion; this one is embedding, whose speed is not predicted",
    fix: "remove traffic, and say replicas and concurrency",
    mended: onSlowCards({ model: "bge-m3" }),
  },
  {
    what: "a confidence in nothing",
    config: onSlowCards({ serviceLevel: { availability: 0.99, confidence: 0.9 } }),
    path: "models.chat.serviceLevel.confidence",
    value: "0.9",
    allowed: "only with ttftMs, tpotMs or tokensPerSecond",
    fix: "or remove confidence",
    mended: onSlowCards({ serviceLevel: { availability: 0.99 } }),
  },
  {
    what: "a gateway without a name",
    config: { ...laptop, gateway: { tls: { kind: "self-signed" } } },
    path: "gateway.hostname",
    value: "nothing",
    allowed: "or wildcardDns instead",
    fix: "write for example hostname: inference.example.com, or wildcardDns: {service: sslip.io, address: 203.0.113.7}",
    mended: namedAfter(NODES[0], { exposure: "NodePort" }),
  },
  {
    what: "a gateway with two names",
    config: namedAfter(NODES[0], { exposure: "NodePort", hostname: "inference.acme.io" }),
    path: "gateway.hostname",
    value: "inference.acme.io",
    allowed: "either hostname or wildcardDns",
    fix: "remove one of the two",
  },
  {
    what: "a name of an address that is inside the cluster alone",
    config: namedAfter(NODES[0], { exposure: "ClusterIP" }),
    path: "gateway.wildcardDns",
    value: "exposure: ClusterIP",
    allowed: "a Service of type ClusterIP has no address outside of the cluster",
    fix: "write hostname, any name, for calls through kubectl port-forward; or exposure: NodePort",
    mended: namedAfter(NODES[1], { exposure: "NodePort" }),
  },
  {
    what: "a name of an address that nobody knows yet",
    config: namedAfter(NODES[0]),
    path: "gateway.wildcardDns",
    value: "exposure: LoadBalancer on local",
    allowed: "this cluster's load balancer makes one up at deployment",
    fix: "write exposure: NodePort with the address of a node; cluster: {kind: edge}",
    mended: namedAfter(NODES[0], {}, { cluster: { kind: "edge" } }),
  },
  {
    what: "a name of a cloud's node",
    config: onA10({ ...small }, { gateway: namedAfter(NODES[0], { exposure: "NodePort" }).gateway }),
    path: "gateway.wildcardDns",
    value: "exposure: NodePort on oci",
    allowed: "nodes of cloud pools change",
    fix: "write exposure: LoadBalancer with an address that you reserve",
    mended: onA10({ ...small }, { gateway: namedAfter(NODES[0]).gateway }),
  },
  {
    what: "a name of a private address on OCI",
    config: onA10({ ...small }, { gateway: namedAfter("10.0.20.7").gateway }),
    path: "gateway.wildcardDns",
    value: "the private address 10.0.20.7",
    allowed: "a reserved public address on OCI",
    fix: "write hostname with a DNS record; or reserve a public address",
  },
  {
    what: "a name of an internal load balancer on OCI",
    config: onA10(
      { ...small },
      {
        gateway: namedAfter(NODES[0], {
          serviceAnnotations: { "oci-network-load-balancer.oraclecloud.com/internal": "True" },
        }).gateway,
      },
    ),
    path: "gateway.wildcardDns",
    value: "an internal load balancer",
    allowed: "a reserved public address on OCI",
    fix: "remove …internal from serviceAnnotations",
  },
  {
    what: "a name of an Elastic IP that the load balancer is not told of",
    config: onAws({ [`${AWS_LB}scheme`]: "internet-facing" }, NODES[0]),
    path: `gateway.serviceAnnotations["${AWS_LB}eip-allocations"]`,
    value: "nothing",
    allowed: `the allocation of one Elastic IP, ${NODES[0]}`,
    fix: `write ${AWS_LB}eip-allocations: eipalloc-…`,
    mended: onAws(ELASTIC, NODES[0]),
  },
  {
    what: "a name of an internal load balancer's address that it is not told of",
    config: onAws({}, "10.0.20.7"),
    path: `gateway.serviceAnnotations["${AWS_LB}private-ipv4-addresses"]`,
    value: "nothing",
    allowed: "10.0.20.7, with wildcardDns",
    fix: `write ${AWS_LB}private-ipv4-addresses: 10.0.20.7`,
    mended: onAws({ [`${AWS_LB}private-ipv4-addresses`]: "10.0.20.7" }, "10.0.20.7"),
  },
  {
    what: "an address that leads every client to itself",
    config: namedAfter("127.0.0.1", { exposure: "NodePort" }),
    path: "gateway.wildcardDns.address",
    value: "127.0.0.1",
    allowed: "no loopback, link-local or multicast one",
    fix: "203.0.113.7",
  },
  {
    what: "a public authority's certificate for a private address",
    config: namedAfter(NODES[1], { exposure: "NodePort", tls: { kind: "acme", email: "ops@acme.io" } }),
    path: "gateway.tls.kind",
    value: "acme",
    allowed: "Let's Encrypt has no way to it",
    fix: "write tls: {kind: secret",
    mended: namedAfter(NODES[1], {
      exposure: "NodePort",
      tls: { kind: "acme", email: "ops@acme.io", server: "https://ca.acme.internal/directory" },
    }),
  },
  {
    what: "a card of an accelerator that nothing here runs on",
    config: onCards("gaudi-3", chat),
    path: "pools.gpu.node.card",
    value: "gaudi-3",
    allowed: "Intel Gaudi is not served: vLLM runs there by a plugin of its own (vllm-gaudi)",
    fix: "models that run on Intel Gaudi elsewhere join with engine: external",
    mended: onCards("l40s", chat),
  },
  ...[
    { shape: "dl1.24xlarge", accelerator: "Intel Gaudi" },
    { shape: "ct5lp-hightpu-4t", accelerator: "Google TPU" },
    { shape: "inf2.48xlarge", accelerator: "AWS Inferentia or Trainium" },
    { shape: "dl2q.24xlarge", accelerator: "Qualcomm Cloud AI 100" },
  ].map(({ shape, accelerator }) => ({
    what: `machines with ${accelerator}`,
    config: onShape(shape, chat),
    path: "pools.gpu.shape",
    value: shape,
    allowed: `${accelerator} is not served`,
    fix: `models that run on ${accelerator} elsewhere join with engine: external`,
  })),
  {
    what: "vLLM on CPUs with what its image for them lacks",
    config: { ...laptop, models: { chat: { ...small, vllm: { loading: "stream" } } } },
    path: "models.chat",
    value: "laptop",
    allowed: "no streamer of weights",
    fix: "write models.chat.vllm.loading: copy",
    mended: { ...laptop, models: { chat: small } },
  },
  {
    what: "a model of others without https in production",
    config: withExternal("http://192.168.1.20:1234/v1", "production"),
    path: "models.studio.external.url",
    value: "http://192.168.1.20:1234/v1",
    allowed: "https:// in production",
    fix: "write https://, with a proxy that ends TLS",
    mended: withExternal("https://studio.example.com/v1", "production"),
  },
  {
    what: "a model of others on the pod itself",
    config: withExternal("http://localhost:1234/v1"),
    path: "models.studio.external.url",
    value: "http://localhost:1234/v1",
    allowed: "a pod's loopback",
    fix: "name it as other machines of its network reach it",
    mended: withExternal("http://192.168.1.20:1234/v1"),
  },
  {
    what: "tensor parallelism that does not divide the heads",
    config: onShape("BM.GPU.A10.4", { vllm: { tensorParallel: 3 } }),
    path: "models.chat.vllm.tensorParallel",
    value: "TP 3",
    allowed: "28 attention heads",
    fix: "write models.chat.vllm.tensorParallel: 1, 2 or 4",
    mended: onShape("BM.GPU.A10.4", { vllm: { tensorParallel: 4 } }),
  },
  {
    what: "a context over the model's maximum",
    config: onA10({ contextTokens: 40_000 }),
    path: "models.chat.contextTokens",
    value: "40000 tokens",
    allowed: "allows 32768",
    fix: "Write models.chat.contextTokens: 32768",
    mended: onA10({ contextTokens: 32_768, concurrency: 1 }),
  },
  {
    what: "a quantization that the card cannot do",
    config: onCards("radeon-pro-w7900", { ...chat, quantization: "fp8" }),
    path: "models.chat.quantization",
    value: "for fp8 weights",
    allowed: "needs one of gfx942, gfx950, gfx1200, gfx1201",
    fix: "remove models.chat.quantization or write another",
    mended: onCards("radeon-pro-w7900", chat),
  },
  {
    what: "an FP8 cache of latent attention on an A10",
    config: onShape("BM.GPU.A10.4", { model: "deepseek-v3", vllm: { kvCacheDtype: "fp8" } }),
    path: "models.chat.vllm.kvCacheDtype",
    value: "kvCacheDtype fp8",
    allowed: "NVIDIA A10 has compute capability 8.6, and vLLM needs compute capability 8.9 or higher",
    fix: "write models.chat.vllm.kvCacheDtype: bfloat16",
  },
  {
    what: "a source of another size than its model",
    config: onA10({ source: "hf://Qwen/Qwen2.5-14B-Instruct" }),
    path: "models.chat.source",
    value: "Qwen/Qwen2.5-14B-Instruct states 14B",
    allowed: "less than a third",
    fix: "name the model, or the config, of that source",
    mended: onA10({ source: "hf://acme/qwen-7b-legal" }),
  },
  {
    what: "quantized weights that nothing says",
    config: onA10({ source: "hf://Qwen/Qwen2.5-7B-Instruct-AWQ" }),
    path: "models.chat.source",
    value: "states AWQ weights",
    allowed: "a source in the format that is counted",
    fix: "write quantization: awq",
    mended: onA10({ source: "hf://Qwen/Qwen2.5-7B-Instruct-AWQ", quantization: "awq" }),
  },
  {
    what: "a moving revision that the user wrote, in production",
    config: onA10({ source: "hf://Qwen/Qwen2.5-7B-Instruct@main" }, PRODUCTION),
    path: "models.chat.source",
    value: '"hf://Qwen/Qwen2.5-7B-Instruct@main" follows @main',
    allowed: "Allowed: hf://org/name@ and the 40 hexadecimal digits of a commit",
    fix: "npm run pin",
    mended: onA10({ source: `hf://Qwen/Qwen2.5-7B-Instruct@${"1".repeat(40)}` }, PRODUCTION),
  },
  {
    what: "a canary beside a model that moves",
    config: onA10({ canary: { source: `hf://Qwen/Qwen2.5-7B-Instruct@${"1".repeat(40)}` } }),
    path: "models.chat.source",
    value: "follows @main",
    allowed: "a model and its canary differ by their commits",
    fix: "npm run pin",
    mended: onA10({
      source: `hf://Qwen/Qwen2.5-7B-Instruct@${"1".repeat(40)}`,
      canary: { source: `hf://Qwen/Qwen2.5-7B-Instruct@${"2".repeat(40)}` },
    }),
  },
  {
    what: "a canary with a model's name",
    config: onA10(
      {},
      {
        models: { chat: { ...chat, canary: { quantization: "fp8" } }, "chat-canary": { ...chat, servedName: "other" } },
      },
    ),
    path: "models.chat.canary",
    value: "chat-canary",
    allowed: "a name of its own for the canary: models.chat-canary has it",
    fix: "rename models.chat-canary",
  },
  {
    what: "an adapter whose rank exceeds --max-lora-rank",
    config: onA10({ adapters: { legal: { source: "hf://org/legal", rank: 64 } }, vllm: { maxLoraRank: 32 } }),
    path: "models.chat.adapters.legal.rank",
    value: "64",
    allowed: "at most 32, the rank of vllm.maxLoraRank (--max-lora-rank)",
    fix: "write vllm.maxLoraRank: 64",
    mended: onA10({ adapters: { legal: { source: "hf://org/legal", rank: 64 } }, vllm: { maxLoraRank: 64 } }),
  },
  {
    what: "an adapter of a rank that no flag reaches",
    config: onA10({ adapters: { legal: { source: "hf://org/legal", rank: 1024 } } }),
    path: "models.chat.adapters.legal.rank",
    value: "1024",
    allowed: "at most 512, the largest rank of the engine (--max-lora-rank)",
    fix: "train it with a smaller rank",
  },
  {
    what: "an adapter on an engine that takes none",
    config: { ...laptop, models: { chat: { ...laptop.models.chat, adapters: { legal: "hf://org/legal" } } } },
    path: "models.chat.adapters",
    value: "legal",
    allowed: "engine: vllm: Ollama does not serve LoRA adapters",
    fix: "write engine: vllm, or remove adapters",
    mended: laptop,
  },
  {
    what: "an adapter under the name of a model",
    config: onA10({ adapters: { chat: "hf://org/legal" } }),
    path: "models.chat.adapters.chat",
    value: "chat",
    allowed: "a name of its own: models.chat answers to this one",
    fix: "give it another name, for example chat-chat",
    mended: onA10({ adapters: { "chat-chat": "hf://org/legal" } }),
  },
  {
    what: "room for adapters without any",
    config: onA10({ vllm: { maxLoras: 4 } }),
    path: "models.chat.vllm.maxLoras",
    value: "4",
    allowed: "only with adapters: it sets aside GPU memory for them",
    fix: "remove maxLoras, or name adapters under models.chat.adapters",
    mended: onA10({}),
  },
  {
    what: "a bucket of Google Cloud Storage by its own scheme",
    config: onA10({ source: "gs://weights/qwen" }),
    path: "models.chat.source",
    value: "gs://weights/qwen",
    allowed: "s3://bucket/prefix",
    fix: "and write s3://weights/qwen",
    mended: onA10({ source: "s3://models/qwen" }),
  },
  {
    what: "an adapter in a bucket that is not the store",
    config: onA10({ adapters: { legal: "s3://elsewhere/legal" } }),
    path: "models.chat.adapters.legal",
    value: "s3://elsewhere/legal",
    allowed: "a prefix in the environment's model store, s3://models/",
    fix: "copy the files to s3://models/chat-legal (docs/own-weights.md) and name that, or name a repository",
    mended: onA10({ adapters: { legal: "s3://models/chat-legal" } }),
  },
  {
    what: "an adapter below its model's weights, which a streaming engine would load",
    config: onA10({ source: "s3://models/qwen", adapters: { legal: "s3://models/qwen/legal" } }),
    path: "models.chat.adapters.legal",
    value: "qwen/legal/ in the model store",
    allowed: "a place that is not below qwen/, where models.chat lies with keys to all of it",
    fix: "copy the adapter to s3://models/chat-legal",
    mended: onA10({ source: "s3://models/qwen", adapters: { legal: "s3://models/legal" } }),
  },
  {
    what: "an adapter of a model that vLLM's class takes none for",
    config: onShape("BM.GPU.H100.8", { model: "kimi-k2.5", adapters: { legal: "hf://org/legal" } }),
    path: "models.chat",
    value: "kimi_k2",
    allowed: "takes no LoRA adapters",
    fix: "remove adapters",
  },
  {
    what: "adapters as flags, which the plan would not count",
    config: onA10({ args: { "enable-lora": true } }),
    path: "models.chat.args.enable-lora",
    value: "true",
    allowed: "set by adapters of the model",
    fix: "remove it here and write adapters",
    mended: onA10({ adapters: { legal: "hf://org/legal" } }),
  },
  {
    what: "two engines on one GPU",
    config: {
      ...onShape("VM.GPU.A10.1", {}),
      models: { chat, code: chat },
    },
    path: "pools.gpu.maxNodes",
    value: "maxNodes 1",
    allowed: "a replica takes 1 GPU(s)",
    fix: "raise pools.gpu.maxNodes from 1 to 2",
    mended: { ...onShape("VM.GPU.A10.1", {}, 2), models: { chat, code: chat } },
  },
  {
    what: "a volume that is too small for the models",
    config: onA10({}, { storage: { sizeGiB: 5 } }),
    path: "storage.sizeGiB",
    value: "is 5",
    allowed: "its models take 22 GiB, 1.5 times their files: chat 22",
    fix: "Write storage.sizeGiB: 22 or more",
    mended: onA10({}, { storage: { sizeGiB: 22 } }),
  },
  {
    what: "pipeline stages over nodes without a fast network",
    config: onCards("rtx-4090", { model: "phi-4", concurrency: 1 }, { networkGbps: 1 }, 2),
    path: "pools.gpu.node.networkGbps",
    value: "its 1 Gbit/s network",
    allowed: "takes 10 Gbit/s",
    fix: "write pools.gpu.node.networkGbps: 10",
    mended: onCards("rtx-4090", { model: "phi-4", concurrency: 1 }, { networkGbps: 10 }, 2),
  },
  {
    what: "a Radeon card that the image has no code for",
    config: onCards("rx-6900-xt", chat),
    path: "models.chat.engine",
    value: "AMD Radeon RX 6900 XT is gfx1030",
    allowed: "built for one of gfx90a, gfx942",
    fix: "write models.chat.engine: ollama",
    mended: onCards("rx-6900-xt", { ...chat, engine: "ollama" }),
  },
  {
    what: "a flag that the plan decides",
    config: onA10({ args: { "tensor-parallel-size": 2 } }),
    path: "models.chat.args.tensor-parallel-size",
    value: "2",
    allowed: "set by vllm.tensorParallel of the model",
    fix: "remove it here and write vllm.tensorParallel",
    mended: onA10({ vllm: { tensorParallel: 2 } }),
  },
  {
    what: "an engine that nobody maintains, in production",
    config: onA10({ engine: "tgi" }, { stage: "production" }),
    path: "models.chat.engine",
    value: "tgi",
    allowed: "in production vllm",
    fix: "write engine: vllm",
  },
  {
    what: "an engine that is served nowhere",
    config: onA10({ engine: "torchserve" }),
    path: "models.chat.engine",
    value: "torchserve",
    allowed: "one of vllm",
    fix: "TorchServe is not served, it is not maintained",
  },
  {
    what: "a release that starts as root alone",
    config: onA10({ engine: "tgi", engineVersion: "3.3.7" }),
    path: "models.chat",
    value: "TGI from 3.1 on",
    allowed: "start as root alone",
    fix: "take 3.0.1",
    mended: onA10({ engine: "tgi", concurrency: 1 }),
  },
  {
    what: "an adapter of a larger rank than the engine is told",
    config: onA10({
      adapters: { tone: { source: `hf://example/tone@${"0".repeat(40)}`, rank: 64 } },
      vllm: { maxLoraRank: 16 },
    }),
    path: "models.chat.adapters.tone.rank",
    value: "64",
    allowed: "at most 16, the rank of vllm.maxLoraRank (--max-lora-rank)",
    fix: "write vllm.maxLoraRank: 64",
  },
  {
    what: "an image on Arm machines that it is not made for",
    config: onCards("l4", { ...chat, engine: "ray" }, { cpuArch: "arm64" }),
    path: "models.chat",
    value: "arm64, the CPU architecture of 1x-l4",
    allowed: "the image of ray is not made for",
    fix: "take a pool of amd64 machines",
  },
  {
    what: "a server of a model that does not exist",
    config: onLaptop({ serverOf: "chatt" }),
    path: "models.finder.ollama.serverOf",
    value: '"chatt"',
    allowed: "a name under models: chat",
    fix: 'did you mean "chat"?',
    mended: onLaptop({ serverOf: "chat" }),
  },
  {
    what: "a model on its own server",
    config: onLaptop({ serverOf: "finder" }),
    path: "models.finder.ollama.serverOf",
    value: '"finder"',
    allowed: "another model",
    fix: "remove it",
  },
  {
    what: "a server of another engine",
    config: onA10({}, { models: { chat, finder: { ...finder, ollama: { serverOf: "chat" } } } }),
    path: "models.finder.ollama.serverOf",
    value: '"chat"',
    allowed: "a model with engine: ollama; models.chat has vllm",
    fix: "name a model that Ollama serves",
  },
  {
    what: "a server of a model that has none itself",
    config: onLaptop(
      { serverOf: "small" },
      { small: { ...finder, model: "qwen3-embedding-0.6b", ollama: { serverOf: "chat" } } },
    ),
    path: "models.finder.ollama.serverOf",
    value: '"small"',
    allowed: "models.small joins that of chat itself",
    fix: "write serverOf: chat",
  },
  {
    what: "replicas of a model that is on another's server",
    config: onLaptop({ serverOf: "chat" }, {}, { replicas: { min: 2 } }),
    path: "models.finder.replicas",
    value: "a mapping with",
    allowed: "the server of chat, which has one replicas for all of its models",
    fix: "remove it here and write it at models.chat.replicas",
  },
  {
    what: "a pool for a model that has no pods",
    config: {
      ...onLaptop({ serverOf: "chat" }),
      pools: { laptop: { ...laptop.pools.laptop, dedicatedTo: ["chat", "finder"] } },
    },
    path: "pools.laptop.dedicatedTo[1]",
    value: '"finder"',
    allowed: "models with pods of their own",
    fix: "write chat",
  },
  {
    what: "the same build twice on one server",
    config: onLaptop({ serverOf: "chat" }, {}, { model: laptop.models.chat.model }),
    path: "models.finder.ollama.serverOf",
    value: "are both qwen2.5:0.5b",
    allowed: "Ollama loads it once",
    fix: "Remove models.finder.ollama.serverOf",
  },
  {
    what: "models that do not fit on one server together",
    config: onCards("l4", {}, {}, 1, {
      chat: { model: "phi-4", engine: "ollama", concurrency: 2 },
      code: { model: "qwen2.5-7b-instruct", engine: "ollama", contextTokens: 32_768, ollama: { serverOf: "chat" } },
    }),
    path: "models.code.contextTokens",
    value: "from 32768",
    allowed: "of it chat 1",
    fix: "lower models.code.contextTokens from 32768 to",
  },
  {
    what: "prompts parted from answers, with replicas beside",
    config: onA10({ vllm: { prefillDecode: { prefill: 1, decode: 1 } }, replicas: { min: 2 } }),
    path: "models.chat.replicas",
    value: "a mapping",
    allowed: "nothing: the block of vllm says how many pods there are, 2",
    fix: "remove replicas",
    mended: onA10({ vllm: { prefillDecode: { prefill: 1, decode: 1 } } }),
  },
  {
    what: "prompts parted from answers, in a model that writes none",
    config: onA10({ model: "bge-m3", vllm: { prefillDecode: { prefill: 1, decode: 1 } } }),
    path: "models.chat.vllm.prefillDecode",
    value: "prefill",
    allowed: "only for models that write text, this one is for embedding",
    fix: "remove prefillDecode",
  },
  {
    what: "prompts parted from answers over stages of a pipeline",
    config: onShape("BM.GPU.A10.4", {
      vllm: { prefillDecode: { prefill: 1, decode: 1 }, tensorParallel: 2, pipelineParallel: 2 },
    }),
    path: "models.chat",
    value: "PP 2",
    allowed: "with vllm.prefillDecode",
    fix: "use 1",
  },
  {
    what: "prompts parted from answers, with the connector under args too",
    config: onA10({
      vllm: { prefillDecode: { prefill: 1, decode: 1 } },
      args: { "kv-transfer-config": { kv_connector: "NixlConnector" } },
    }),
    path: "models.chat",
    value: "args.kv-transfer-config",
    allowed: "vllm.prefillDecode sets it for both kinds of pods",
    fix: "Remove one of the two",
  },
  {
    what: "a model that may sleep, over several nodes",
    config: onShape("BM.GPU.H100.8", { ...OVER_NODES, vllm: { sleepMode: true } }, 2),
    path: "models.chat",
    value: "vllm.sleepMode",
    allowed: "a replica stays on one node, because the model control API drives none over several",
    fix: "remove models.chat.vllm.sleepMode",
    mended: onShape("BM.GPU.H100.8", OVER_NODES, 2),
  },
  {
    what: "a model that may sleep, with parallelism of several nodes",
    config: onShape("BM.GPU.H100.8", { vllm: { sleepMode: true, tensorParallel: 4, pipelineParallel: 4 } }, 2),
    path: "models.chat",
    value: "vllm.sleepMode",
    allowed: "a replica stays on one node",
    fix: "remove models.chat.vllm.sleepMode",
  },
  {
    what: "a model that may sleep, with several replicas",
    config: onA10({ vllm: { sleepMode: true }, replicas: { min: 1, max: 2 } }),
    path: "models.chat.replicas",
    value: "a mapping",
    allowed: "nothing: the block of vllm says how many pods there are, 1",
    fix: "remove replicas",
    mended: onA10({ vllm: { sleepMode: true } }),
  },
  {
    what: "an image that is not made for the pool's CPUs",
    config: onCards("l40s", TEXT, { cpuArch: "arm64" }),
    path: "models.chat",
    value: "the image of triton",
    allowed: "is not made for arm64",
    fix: "take a pool of amd64 machines",
    mended: onCards("l40s", TEXT),
  },
  ...[
    { modelConfig: { max_batch_size: 64 }, allowed: "max_batch_size: not to be set: model.yaml says it" },
    { modelConfig: { instance_group: [{ count: 4 }] }, allowed: "instance_group: one instance: 4 are 4 copies" },
    { modelConfig: { max_batchsize: 64 }, allowed: "max_batchsize: a field of ModelConfig" },
  ].map(({ modelConfig, allowed }) => ({
    what: `${Object.keys(modelConfig)[0]} in the repository of a checkpoint`,
    config: onCards("l4", { ...TEXT, triton: { tensorParallel: 4, modelConfig } }, { gpuCount: 4 }),
    path: "models.chat.triton.modelConfig",
    value: Object.keys(modelConfig)[0] ?? "",
    allowed,
    fix: "or remove it",
    mended: onCards("l4", { ...TEXT, triton: { tensorParallel: 4 } }, { gpuCount: 4 }),
  })),
  {
    what: "a task that the form for checkpoints has no answer to",
    config: onCards("l4", { model: "bge-m3", engine: "triton" }),
    path: "models.chat.triton.repository",
    value: "nothing",
    allowed: "a repository of your own for embedding models",
    fix: "add repository with its memoryGiB",
    mended: onCards("l4", {
      model: "bge-m3",
      engine: "triton",
      source: "s3://models/embedder",
      triton: { repository: { memoryGiB: 6 } },
    }),
  },
];

describe("plan refuses", () => {
  it.each(rows)("$what", async ({ config, path, value, allowed, fix }) => {
    const { status, err, refusals } = await decisionOf(folder, config);
    expect(err).not.toMatch(/\n\s+at /);
    if (status === 2) {
      expect(problemAt(path, err)).toEqual({
        value: expect.stringContaining(value),
        allowed: expect.stringContaining(allowed),
        fix: expect.stringContaining(fix),
      });
    } else {
      expect([status, err]).toEqual([1, ""]);
      const told = refusals.find((text) => text.includes(path)) ?? `nothing of ${path} in ${refusals.join("\n")}`;
      for (const part of [value, allowed, fix]) {
        expect(told).toContain(part);
      }
    }
  });

  it.each(rows.filter(({ mended }) => mended !== undefined))("$what, and plans it mended", async ({ mended = {} }) => {
    expect(await decisionOf(folder, mended)).toEqual({ status: 0, err: "", refusals: [] });
  });

  it.each([
    { what: "a refusal", row: rows[0] },
    { what: "a mistake in the file", row: rows.find(({ value }) => value === "nothing") },
  ])("$what by the whole program as by the planner alone", async ({ row }) => {
    const { config = {} } = row ?? {};
    const decision = await decisionOf(folder, config);
    expect(decision.status).not.toBe(0);
    expect(await wholeDecisionOf(folder, config)).toEqual(decision);
  });
});

describe("a Service named vllm", () => {
  it("is never made, whatever the model is called: the plan passes the policy that refuses it", async () => {
    const { status, out } = await planOf(folder, onA10({}, { models: { vllm: chat } }), "--json");
    expect([status, JSON.parse(out).policies.failed]).toEqual([0, 0]);
  });

  it("is refused by the policies, whoever made it", async () => {
    const { violations } = evaluatePolicies(
      [object("core/v1", "Service", { spec: {} }, { name: "vllm", namespace: "model-chat" })],
      { project: "inference-stacks", stack: "test", policies: [serviceLinksOff] },
    );
    const [violation] = violations;
    expect(violation?.message).toContain('metadata.name is "vllm"; allowed: any name but vllm');
    expect(violation?.message).toContain("fix: ");
  });
});

/** The lines of the problem at a path of the file. */
function problemAt(path: string, err: string): Record<string, string> | undefined {
  const block = err.split(/\n\n {2}\d+\. /).find((text) => text.startsWith(`${path} `) || text.startsWith(`${path}\n`));
  const lines = [...(block ?? "").matchAll(/^ {5}(\w+) +(.*)$/gm)];
  return block === undefined ? undefined : Object.fromEntries(lines.map(([, key = "", text = ""]) => [key, text]));
}
