/** Maps flags to keys, to `args`, or to a reason. */
import { ruleFor } from "../../catalog/engine-options";
import { vllmOptions } from "../../engines/vllm/options";
import { type Flag, isOpen, STARTER } from "./command-line";
import type { ModelDraft, Plain } from "./draft";
import { applyEngineFlag } from "./engine-flag";
import { EXPERT_RANKS, spreadExperts } from "./expert-ranks";
import { rowOf } from "./path";
import { isSecretName } from "./secrets";
import { addAdapter, serveAs } from "./served-name";
import { nameWeights } from "./stored-weights";

/** vLLM's limits; the key's description has the reason. */
const UTILIZATION = { least: 0.5, most: 0.97 };

/** How vLLM quantizes a 16-bit checkpoint on load; undefined: not at all. */
const QUANTIZED_ON_LOAD: Readonly<Record<string, string | undefined>> = {
  fp8: "fp8",
  bitsandbytes: "bitsandbytes",
  ptpc_fp8: "fp8",
  fp8_per_tensor: "fp8",
  fp8_per_channel: "fp8",
  fp8_per_block: "fp8",
  online: undefined,
  experts_int8: undefined,
  int8_per_channel_weight_only: undefined,
  nvfp4_per_token: undefined,
  mxfp8: undefined,
  torchao: undefined,
};

type Reader = (model: ModelDraft, flag: Flag, value: string) => void;

function set(model: ModelDraft, flag: Flag, field: string, value: Plain): void {
  const [block, key] = field.split(".");
  if (block === "vllm" && key !== undefined) {
    model.block[key] = value;
  } else {
    model.settings[field] = value;
  }
  model.places.set(field, flag.at);
  model.ledger.mapped(flag.at, `models.*.${field}`);
}

/** The platform chooses it by the model's family. */
function parserOf(key: "toolCalling" | "reasoning"): Reader {
  return (model, flag, value) => {
    model.block[key] = true;
    model.parsers[key] = { flag: flag.name, value };
    model.places.set(`vllm.${key}`, flag.at);
    model.ledger.changed(
      flag.at,
      `the parser follows from the model's family ("${value}" here)`,
      `models.*.vllm.${key}`,
    );
  };
}

function wholeNumber(field: string): Reader {
  return (model, flag, value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number > 0) {
      set(model, flag, field, number);
    } else {
      model.ledger.wrong(flag.at, `--${flag.name} needs a whole number above 0, and has "${value}"`);
    }
  };
}

const context: Reader = (model, flag, value) => {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([kKmM]?)$/.exec(value) ?? [];
  const isOwn = value === "auto" || value === "-1";
  if (digits === undefined && !isOwn) {
    model.ledger.wrong(flag.at, `--${flag.name} needs a number of tokens, auto or -1, and has "${value}"`);
    return;
  }
  if (digits === undefined) {
    model.takesWhatFits = isOwn;
    model.ledger.changed(
      flag.at,
      `"${value}" is the model's own length, or what fits: written as a number`,
      "models.*.contextTokens",
    );
    return;
  }
  const factor = rowOf({ k: 1000, K: 1024, m: 1e6, M: 1024 ** 2 }, unit ?? "") ?? 1;
  model.statesContext = true;
  set(model, flag, "contextTokens", Math.floor(Number(digits) * factor));
};

const utilization: Reader = (model, flag, value) => {
  const wanted = Number(value);
  const within = Math.min(UTILIZATION.most, Math.max(UTILIZATION.least, wanted));
  if (!Number.isFinite(wanted)) {
    model.ledger.wrong(flag.at, `--${flag.name} needs a fraction, and has "${value}"`);
    return;
  }
  if (within === wanted) {
    set(model, flag, "vllm.gpuMemoryUtilization", wanted);
    return;
  }
  if (wanted > within) {
    model.ledger.changed(
      flag.at,
      `${wanted} leaves too little GPU memory for the CUDA context: the engine's default takes its place`,
    );
    return;
  }
  model.block.gpuMemoryUtilization = within;
  model.places.set("vllm.gpuMemoryUtilization", flag.at);
  const why = `${wanted} leaves GPU memory idle on a card of its own: ${within} is the least`;
  model.ledger.changed(flag.at, why, "models.*.vllm.gpuMemoryUtilization");
};

const servedNames: Reader = (model, flag) => {
  const [first, ...others] = flag.values;
  if (first !== undefined) {
    set(model, flag, "servedName", first);
  }
  if (others.length > 0) {
    set(model, flag, "aliases", others);
  }
};

const quantization: Reader = (model, flag, value) => {
  const ours = rowOf(QUANTIZED_ON_LOAD, value);
  if (!Object.hasOwn(QUANTIZED_ON_LOAD, value)) {
    model.ledger.changed(flag.at, `"${value}" is the checkpoint's own format, which vLLM reads from its config.json`);
  } else if (ours === undefined) {
    model.ledger.lost(
      flag.at,
      `"${value}" quantizes the checkpoint as vLLM loads it, which is planned for fp8 and bitsandbytes alone: the plan has the checkpoint's own format`,
    );
  } else {
    set(model, flag, "quantization", ours);
    if (ours !== value) {
      model.ledger.correct("models.*.quantization", flag.at, `"${value}" is FP8 with other scales than ${ours} has`);
    }
  }
};

const kvCacheDtype: Reader = (model, flag, value) => {
  const ours = rowOf({ auto: "auto", fp8: "fp8", fp8_e4m3: "fp8", bfloat16: "bfloat16" }, value);
  if (ours === undefined) {
    model.ledger.lost(flag.at, `vllm.kvCacheDtype takes auto, bfloat16 or fp8; "${value}" is not planned`);
  } else {
    set(model, flag, "vllm.kvCacheDtype", ours);
  }
};

const TASKS: Readonly<Record<string, string>> = {
  embed: "embedding",
  embedding: "embedding",
  score: "rerank",
  pooling: "embedding",
  text_embedding: "embedding",
};

const task: Reader = (model, flag, value) => {
  const ours = rowOf(TASKS, value);
  if (ours !== undefined) {
    set(model, flag, "task", ours);
  } else if (["generate", "auto", "text_generation", "text2text_generation"].includes(value)) {
    model.ledger.mapped(flag.at, "models.*.task");
  } else {
    model.ledger.lost(flag.at, `task "${value}" is not served; tasks are chat, completion, embedding and rerank`);
  }
};

const loading: Reader = (model, flag, value) => {
  if (value === "runai_streamer") {
    set(model, flag, "vllm.loading", "stream");
  } else if (["auto", "safetensors"].includes(value)) {
    model.ledger.mapped(flag.at, "models.*.vllm.loading");
  } else {
    model.ledger.lost(flag.at, `vllm.loading copies or streams safetensors; format "${value}" is not planned`);
  }
};

const executor: Reader = (model, flag, value) => {
  model.ledger.changed(
    flag.at,
    `vLLM starts its own processes where a replica spans nodes; vllm.distributedExecutor: ray brings Ray back ("${value}")`,
  );
};

const loraModules: Reader = (model, flag) => {
  for (const value of flag.values) {
    const [name = "", path = ""] = value.split("=");
    if (/^[\w.-]+\/[\w.-]+$/.test(path) && !path.startsWith("/")) {
      addAdapter(model, name, `hf://${path}`, flag.at);
    } else {
      model.ledger.lost(
        flag.at,
        `adapter ${name} lies in a folder of the pod: adapters come from hf://org/name or s3://bucket/prefix`,
      );
    }
  }
};

/** Answered by other keys of the environment. */
const dataParallel: Reader = (model, flag, value) => {
  const ranks = Number(value);
  if (Number.isInteger(ranks) && ranks > 1) {
    model.ledger.changed(
      flag.at,
      `${ranks} ranks of a dense model share nothing: they are replicas`,
      "models.*.replicas.min",
    );
    model.replicas = { ...model.replicas, min: model.replicas.min * ranks };
    model.ranks = ranks;
  } else {
    model.ledger.mapped(flag.at, "models.*.replicas.min");
  }
};

const READERS: Readonly<Record<string, Reader>> = {
  "tensor-parallel-size": wholeNumber("vllm.tensorParallel"),
  "pipeline-parallel-size": wholeNumber("vllm.pipelineParallel"),
  "max-num-seqs": wholeNumber("vllm.maxNumSeqs"),
  "max-loras": wholeNumber("vllm.maxLoras"),
  "max-lora-rank": wholeNumber("vllm.maxLoraRank"),
  "max-model-len": context,
  "gpu-memory-utilization": utilization,
  "served-model-name": servedNames,
  quantization,
  "kv-cache-dtype": kvCacheDtype,
  task,
  runner: task,
  convert: task,
  "load-format": loading,
  "distributed-executor-backend": executor,
  "data-parallel-size": dataParallel,
  "lora-modules": loraModules,
  "enable-lora": (model, flag) => void model.ledger.mapped(flag.at, "models.*.adapters"),
  "enable-sleep-mode": (model, flag) => void set(model, flag, "vllm.sleepMode", true),
  "enable-auto-tool-choice": (model, flag) => void set(model, flag, "vllm.toolCalling", true),
  "tool-call-parser": parserOf("toolCalling"),
  "reasoning-parser": parserOf("reasoning"),
  "enable-reasoning": (model, flag) => void set(model, flag, "vllm.reasoning", true),
  "chat-template": (model, flag, value) => {
    model.ledger.lost(
      flag.at,
      `the template ${value} is a file of the pod: copy it next to the environment, and name it in vllm.chatTemplate`,
    );
  },
  "disable-log-requests": (model, flag) => void model.ledger.changed(flag.at, "vLLM logs no requests by default"),
  "trust-remote-code": (model, flag) => {
    model.ledger.lost(
      flag.at,
      "code of a repository runs at a fixed commit alone: npm run pin, then args: {trust-remote-code: true}",
    );
  },
  revision: (model, flag, value) => {
    model.revision = value;
    model.ledger.mapped(flag.at, "models.*.source");
  },
  model: (model, flag, value) => {
    nameWeights(model, value, flag.at);
    serveAs(model, value, flag.at);
  },
};

const EXPERTS = "enable-expert-parallel";

export function applyVllmFlags(model: ModelDraft, flags: readonly Flag[]): void {
  const named = flags.map((flag): Flag => ({ ...flag, name: fullName(flag.name) }));
  const names = new Set(named.map(({ name }) => name));
  for (const flag of named) {
    const value = flag.values[0] ?? "";
    const reader = rowOf(READERS, flag.name);
    flag.valuesAt?.forEach((at) => void model.ledger.cover(at));
    if (flag.name === STARTER) {
      model.ledger.cover(flag.at);
    } else if (flag.name === "") {
      applyFirstWord(model, flag);
    } else if (flag.name.startsWith("data-parallel") && names.has(EXPERTS)) {
      model.ledger.lost(flag.at, EXPERT_RANKS);
    } else if (flag.values.some(isOpen) && !isNeverKept(flag.name)) {
      model.ledger.lost(flag.at, `the value of --${flag.name} is set outside of the file: write it into the file`);
    } else if (reader !== undefined) {
      reader(model, flag, value);
    } else {
      applyEngineFlag(model, flag);
    }
  }
  if (names.has(EXPERTS)) {
    const [ranks = 1, local] = ["data-parallel-size", "data-parallel-size-local"].map((name) => {
      const flag = flags.find((each) => each.name === name);
      return flag === undefined ? undefined : Number(flag.values[0]);
    });
    spreadExperts(model, ranks, local);
  }
}

const ALL_FLAGS: readonly string[] = [
  ...new Set([
    ...vllmOptions.options.arguments.flatMap(({ name, aliases = [], negation }) => [
      name,
      ...aliases,
      negation ?? name,
    ]),
    ...Object.keys(READERS),
  ]),
];

/** Full name of an abbreviation, as in argparse. */
function fullName(name: string): string {
  if (name.length < 3 || Object.hasOwn(READERS, name) || vllmOptions.argumentNamed.has(name)) {
    return name;
  }
  const begun = ALL_FLAGS.filter((each) => each.startsWith(name));
  return begun.length === 1 ? (begun[0] ?? name) : name;
}

/** Secrets, even without a value. */
function isNeverKept(name: string): boolean {
  return ruleFor(vllmOptions.arguments.refused, name) !== undefined || isSecretName(name);
}

function applyFirstWord(model: ModelDraft, flag: Flag): void {
  const [value = ""] = flag.values;
  if (isOpen(value) || (/^[\w./@:-]+$/.test(value) && value.includes("/"))) {
    nameWeights(model, value, flag.at);
    serveAs(model, value, flag.at);
  } else {
    model.ledger.lost(flag.at, "no flag of vLLM");
  }
}
