import { findModel, modelNames } from "../../../catalog/models";
import { weightKindNamed, weightKinds } from "../../../catalog/weight-formats";
import { MODEL_CONTROL_NAMESPACE, MODEL_STORE_NAMESPACE, modelNamespaceName } from "../../../names/namespaces";
import { formatNames, isGgufName } from "../../../planner/model/format-names";
import { LIST_ENGINES, LIST_MODELS } from "../list-commands";
import { ollamaBuildOf } from "../ollama-build";
import { list, type Path, type ProblemDraft, suggest } from "../problems";
import type { EnvironmentConfig, ModelConfig } from "../schema";
import { knownMachine, knownPools, type Rule } from "./context";

export const modelsAreDescribedOnce: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const path = ["models", name];
    if ((model.model === undefined) === (model.config === undefined)) {
      yield {
        path,
        value: model.model === undefined ? undefined : "both model and config",
        allowed: "either model (a catalogue name) or config (a Hugging Face config.json)",
        fix:
          model.model === undefined
            ? "add model: llama-3.2-3b-instruct, or config with source"
            : "remove one of the two",
      };
    } else if (model.model !== undefined && !findModel(model.model)) {
      yield {
        path: [...path, "model"],
        value: model.model,
        allowed: `a model of the catalogue: ${list(modelNames(), LIST_MODELS)}`,
        fix: suggest(
          model.model,
          modelNames(),
          "take a catalogue name, or give config and source for a model of your own",
        ),
      };
    } else if (model.config !== undefined && model.source === undefined) {
      yield {
        path: [...path, "source"],
        value: undefined,
        allowed: "hf://org/name[@revision], s3://bucket/prefix or ollama://tag",
        fix: "add source: a model outside the catalogue has no default one",
      };
    }
  }
};

export const configLocationsCanBeRead: Rule = function* ({ sections }) {
  for (const [name, { config }] of Object.entries(sections.models ?? {})) {
    const scheme = config?.match(/^([a-z][a-z0-9+.-]*):\/\//i)?.[1]?.toLowerCase();
    if (scheme !== undefined && !["file", "https", "s3"].includes(scheme)) {
      yield {
        path: ["models", name, "config"],
        value: config,
        allowed: "a path, or a file://, https:// or s3:// URL",
        fix: scheme === "http" ? "use https://" : "download the file and give its path",
      };
    }
  }
};

/** Two models, or a model and the platform, cannot share a namespace. */
export const modelNamespacesAreFree: Rule = function* ({ declared }) {
  const owners: Readonly<Record<string, string>> = {
    [MODEL_STORE_NAMESPACE]: "the model store",
    [MODEL_CONTROL_NAMESPACE]: "the model control API",
  };
  for (const name of declared.models) {
    const namespace = modelNamespaceName(name);
    const owner = Object.hasOwn(owners, namespace) ? owners[namespace] : undefined;
    if (owner !== undefined) {
      yield {
        path: ["models", name],
        value: name,
        allowed: `another name: the namespace ${namespace} is that of ${owner}`,
        fix: "rename it",
      };
    }
  }
};

export const sourcesFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    yield* sourceProblems(["models", name], model);
  }
};

function* sourceProblems(path: Path, { engine, source, model }: ModelConfig): Generator<ProblemDraft> {
  const fromOllama = source?.startsWith("ollama://");
  if (engine === "vllm" && fromOllama) {
    yield {
      path: [...path, "source"],
      value: source,
      allowed: "hf:// or s3://: vLLM does not read the Ollama registry",
      fix: "give the Hugging Face repository as hf://org/name, or write engine: ollama",
    };
  }
  if (engine === "ollama" && source !== undefined && !fromOllama) {
    yield {
      path: [...path, "source"],
      value: source,
      allowed: "ollama://: Ollama pulls from its own registry",
      fix: "write source: ollama://<tag>, or engine: vllm",
    };
  }
  const entry = model === undefined ? undefined : findModel(model);
  if (engine === "ollama" && source === undefined && entry && !entry.ollama?.length) {
    yield {
      path: [...path, "source"],
      value: undefined,
      allowed: `ollama://<tag>: the catalogue knows no Ollama build of ${entry.name}`,
      fix: "add the tag, or write engine: vllm",
    };
  }
}

/** Settings that only vLLM has, with the value that means "not set". */
const vllmOnly = {
  tensorParallel: undefined,
  pipelineParallel: undefined,
  gpuMemoryUtilization: undefined,
  maxNumSeqs: undefined,
  kvCacheDtype: "auto",
  loading: "copy",
  args: undefined,
  toolCalling: false,
  reasoning: false,
  chatTemplate: undefined,
} as const satisfies Partial<Record<keyof ModelConfig, unknown>>;

export const settingsFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    if (model.engine !== "ollama") {
      continue;
    }
    for (const [key, unset] of Object.entries(vllmOnly)) {
      const value = model[key as keyof typeof vllmOnly];
      if (value !== unset) {
        yield {
          path: ["models", name, key],
          value,
          allowed: "only with engine vllm: Ollama decides this itself",
          fix: `remove ${key}, or write engine: vllm`,
        };
      }
    }
    if ((model.task ?? findModel(model.model ?? "")?.task) === "rerank") {
      yield {
        path: ["models", name, "engine"],
        value: model.engine,
        allowed: "vllm for rerank models: Ollama has no rerank API",
        fix: "write engine: vllm",
      };
    }
  }
};

/** What vLLM does with a name: most formats it only reads, where the checkpoint is in them. */
function vllmFormats(known: readonly string[]): string {
  const made = weightKinds.flatMap(({ madeAtLoad }) => madeAtLoad);
  const declared = weightKinds.flatMap((kind) => (kind.removed === undefined ? kind.declared : []));
  const plain = known.filter((format) => weightKindNamed(format) === undefined);
  return `a weight format of vllm: ${[...made, ...plain].join(", ")}; or, where source is a checkpoint in that format, ${declared.join(", ")}`;
}

/** GGUF file types are Ollama's; the other formats are vLLM's. */
export const quantizationsAreKnown: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const { quantization, engine, source } = model;
    const known = formatNames.filter((format) => isGgufName(format) === (engine === "ollama"));
    if (quantization !== undefined && !known.some((format) => format.toLowerCase() === quantization.toLowerCase())) {
      yield {
        path: ["models", name, "quantization"],
        value: quantization,
        allowed: engine === "ollama" ? `a weight format of ollama: ${list(known, LIST_ENGINES)}` : vllmFormats(known),
        fix: suggest(quantization, known, "remove it to use the checkpoint's own format"),
      };
      continue;
    }
    const entry = findModel(model.model ?? "");
    const builds = entry?.ollama ?? [];
    if (engine === "ollama" && source === undefined && entry && builds.length > 0 && !ollamaBuildOf(entry, model)) {
      yield {
        path: ["models", name, "quantization"],
        value: quantization,
        allowed: `a build that the catalogue knows of ${entry.name}: ${list(builds.map((build) => build.quantization))}`,
        fix: "take one of these, or add source: ollama://<tag> of a build with that quantization",
      };
    }
  }
};

export const replicasAreOrdered: Rule = function* ({ sections }) {
  for (const [name, { replicas }] of Object.entries(sections.models ?? {})) {
    if (replicas.min > replicas.max) {
      yield {
        path: ["models", name, "replicas", "max"],
        value: replicas.max,
        allowed: `at least replicas.min, ${replicas.min}`,
        fix: `write max: ${replicas.min}, or lower min`,
      };
    }
  }
};

export const servedNamesAreUnique: Rule = function* ({ sections }) {
  const owners = new Map<string, string>();
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const served = model.servedName ?? name;
    const owner = owners.get(served);
    if (owner === undefined) {
      owners.set(served, name);
      continue;
    }
    yield {
      path: ["models", name, "servedName"],
      value: served,
      allowed: `a name of its own: models.${owner} answers to this one`,
      fix: `give it another servedName, for example ${served}-2`,
    };
  }
};

/** A model as Ollama names it: namespace, name and tag of up to 80 characters (ollama 0.32, types/model/name.go). */
const OLLAMA_NAME = /^([A-Za-z0-9_][\w.-]{0,79}\/)?[A-Za-z0-9_][\w.-]{0,79}(:[A-Za-z0-9_][\w.-]{0,79})?$/;

export const servedNamesFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, { servedName, engine }] of Object.entries(sections.models ?? {})) {
    const path = ["models", name, "servedName"];
    const simplified = servedName?.replace(/[^\w.:/]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "") || name;
    if (engine === "ollama" && servedName !== undefined && !OLLAMA_NAME.test(servedName)) {
      const allowed = "a name that Ollama takes: [namespace/]name[:tag] of letters, digits, _, - and .";
      yield { path, value: servedName, allowed, fix: `write for example ${simplified}, or remove it` };
    } else if (servedName?.includes("$(")) {
      const allowed = "a name without $(: Kubernetes would replace it by a variable of the pod";
      yield { path, value: servedName, allowed, fix: `write for example ${simplified}, or remove it` };
    }
  }
};

export const modelPoolsExist: Rule = function* ({ sections, declared }) {
  if (!sections.pools) {
    return;
  }
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    for (const [index, pool] of (model.pools ?? []).entries()) {
      const path = ["models", name, "pools", index];
      const dedicatedTo = Object.hasOwn(sections.pools, pool) ? sections.pools[pool]?.dedicatedTo : undefined;
      if (!declared.pools.includes(pool)) {
        yield {
          path,
          value: pool,
          allowed: `a name under pools: ${list(declared.pools)}`,
          fix: suggest(pool, declared.pools, "add the pool, or remove it here"),
        };
      } else if (dedicatedTo && !dedicatedTo.includes(name)) {
        yield {
          path,
          value: pool,
          allowed: `a pool that is open to it: pools.${pool} is dedicated to ${list(dedicatedTo)}`,
          fix: `add ${name} to pools.${pool}.dedicatedTo, or remove the pool here`,
        };
      }
    }
  }
};

export const tensorParallelFitsANode: Rule = function* (context) {
  const pools = knownPools(context);
  if (!pools) {
    return;
  }
  for (const [name, model] of Object.entries(context.sections.models ?? {})) {
    const most = mostGpus(name, model, pools);
    if (model.engine === "vllm" && model.tensorParallel !== undefined && most > 0 && model.tensorParallel > most) {
      yield {
        path: ["models", name, "tensorParallel"],
        value: model.tensorParallel,
        allowed: `1 to ${most}: no node of its pools has more GPUs`,
        fix: `write tensorParallel: ${most} and add pipelineParallel, or take a pool with larger nodes`,
      };
    }
  }
};

/** GPUs of the largest node that the model may use. */
function mostGpus(name: string, model: ModelConfig, pools: EnvironmentConfig["pools"]): number {
  const open = Object.entries(pools).filter(
    ([pool, { dedicatedTo }]) => (dedicatedTo?.includes(name) ?? true) && (model.pools?.includes(pool) ?? true),
  );
  return Math.max(0, ...open.map(([, pool]) => knownMachine(pool)?.gpu?.count ?? 0));
}
