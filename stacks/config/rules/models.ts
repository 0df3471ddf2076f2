import { findModel, modelNames } from "../../../catalog/models";
import { unservedByName } from "../../../catalog/unserved-models";
import { type EngineName, engineNames, engineOf, enginesFor } from "../../../engines";
import { SOURCES, sourceForms, splitSource } from "../../../engines/sources";
import { isHubModel } from "../core/hub-model";
import { didYouMean, list, type Path, type ProblemDraft, suggest } from "../core/problems";
import { knownMachine, knownPools, type Rule } from "../core/rule";
import { blockOf, requestedSettings } from "../engine-block";
import { LIST_ENGINES, LIST_MODELS } from "../list-commands";
import { buildOf, buildsOf } from "../model-build";
import { OWN_WEIGHTS_PAGE } from "../own-weights-page";
import type { EnvironmentConfig, ModelConfig, PoolConfig } from "../schema";

export const modelsAreDescribedOnce: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const path = ["models", name];
    if ((model.model === undefined) === (model.config === undefined)) {
      yield {
        path,
        value: model.model === undefined ? undefined : "both model and config",
        allowed: "either model (a catalogue name, or hf://org/name) or config (a Hugging Face config.json)",
        fix:
          model.model === undefined
            ? `add ${engineOf(model.engine).missingModel ?? "model: llama-3.2-3b-instruct, model: hf://org/name, or config with source"}${whatSourceSays(model)}`
            : "remove one of the two",
      };
    } else if (model.model !== undefined && !findModel(model.model)) {
      const unserved = unservedByName(model.model);
      yield {
        path: [...path, "model"],
        value: model.model,
        allowed: unserved
          ? `a model that an engine here serves; ${unserved.kind} is not served: ${unserved.why}`
          : `a model of the catalogue: ${list(modelNames(), LIST_MODELS)}; or hf://org/name[@commit]`,
        fix: unserved?.fix ?? otherModel(model.model),
      };
    } else if (model.config !== undefined && model.source === undefined) {
      yield {
        path: [...path, "source"],
        value: undefined,
        allowed: sourceForms,
        fix: `add source: a model outside the catalogue has no default one (${OWN_WEIGHTS_PAGE})`,
      };
    }
  }
};

function whatSourceSays({ source }: ModelConfig): string {
  return source === undefined
    ? ""
    : `: source says where the weights are, and this says which model they are (${OWN_WEIGHTS_PAGE})`;
}

/** Repositories have a slash; other words are catalogue names. */
function otherModel(name: string): string {
  const [, repository] = /^(?:hf:\/\/|https:\/\/huggingface\.co\/)?([\w.-]+\/[\w.-]+)\/?$/.exec(name) ?? [];
  if (repository !== undefined && isHubModel(`hf://${repository}`)) {
    return `write model: hf://${repository}, then run npm run pin (${OWN_WEIGHTS_PAGE})`;
  }
  const other = `model: hf://org/name, then npm run pin (${OWN_WEIGHTS_PAGE})`;
  return didYouMean(name, modelNames()) === undefined
    ? `write ${other}, for any repository of Hugging Face; ${suggest(name, modelNames(), "or take a catalogue name")}`
    : suggest(name, modelNames(), "");
}

export const configLocationsCanBeRead: Rule = function* ({ sections }) {
  for (const [name, { config }] of Object.entries(sections.models ?? {})) {
    const scheme = config?.match(/^([a-z][a-z0-9+.-]*):\/\//i)?.[1]?.toLowerCase();
    if (scheme !== undefined && !["file", "https", "s3"].includes(scheme)) {
      yield {
        path: ["models", name, "config"],
        value: config,
        allowed: "a path, or a file://, https:// or s3:// URL",
        fix: configFix(scheme, config ?? ""),
      };
    }
  }
};

function configFix(scheme: string, config: string): string {
  if (scheme === "hf") {
    return `write model: ${config.replace(/\/config\.json$/, "")} in place of config`;
  }
  return scheme === "http" ? "use https://" : "download the file and give its path";
}

export const sourcesFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    yield* sourceProblems(["models", name], model);
  }
};

function* sourceProblems(path: Path, { engine, source, model }: ModelConfig): Generator<ProblemDraft> {
  const { label, sources, weightsFrom } = engineOf(engine);
  const kind = source === undefined ? undefined : splitSource(source)?.kind;
  const [own = "huggingface"] = sources;
  if (kind !== undefined && !sources.includes(kind)) {
    yield {
      path: [...path, "source"],
      value: source,
      allowed: `${sources.map((each) => `${SOURCES[each].scheme}://`).join(" or ")}: ${label} does not read ${SOURCES[kind].label}`,
      fix: `write source: ${SOURCES[own].form}${orEngine(enginesFor({ source: kind }))} (${OWN_WEIGHTS_PAGE})`,
    };
  }
  const entry = model === undefined ? undefined : findModel(model);
  if (weightsFrom === "registry" && source === undefined && entry && buildsOf(entry, engine).length === 0) {
    yield {
      path: [...path, "source"],
      value: undefined,
      allowed: `${SOURCES[own].form}: the catalogue knows no ${label} build of ${entry.name}`,
      fix: `add the source${orEngine(enginesFor({ source: "huggingface" }))}`,
    };
  }
}

function orEngine([engine]: readonly EngineName[]): string {
  return engine === undefined ? "" : `, or engine: ${engine}`;
}

export const tasksFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const task = model.task ?? findModel(model.model ?? "")?.task ?? "chat";
    const { label, tasks } = engineOf(model.engine);
    const able = enginesFor({ task });
    // Without a description the task is unknown.
    const isKnown = model.task !== undefined || model.model !== undefined || model.config !== undefined;
    if (isKnown && !tasks.includes(task)) {
      yield {
        path: ["models", name, "engine"],
        value: model.engine,
        allowed: `${able.join(" or ")} for ${task} models: ${label} has no ${task} API`,
        fix: `write engine: ${able[0]}`,
      };
    }
  }
};

/** Base models have no chat template: engine and probes work, but chats answer 400. */
export const baseModelsAnswerNoChats: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const entry = findModel(model.model ?? "");
    const hasTemplate = blockOf(model)?.chatTemplate !== undefined;
    const isOfEntry = model.source === undefined || splitSource(model.source)?.name.split("@")[0] === entry?.repository;
    const readsCheckpoint = engineOf(model.engine).weightsFrom === "store";
    if (entry?.task === "completion" && model.task === "chat" && readsCheckpoint && isOfEntry && !hasTemplate) {
      yield {
        path: ["models", name, "task"],
        value: model.task,
        allowed: `completion: ${entry.name} is a base model without a chat template, so every chat would answer 400`,
        fix: `write task: completion, take the instruct model, or give ${model.engine}.chatTemplate`,
      };
    }
  }
};

export const legacyEnginesStayOutOfProduction: Rule = function* ({ sections }) {
  if (sections.stage !== "production") {
    return;
  }
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const { label, legacy } = engineOf(model.engine);
    const task = model.task ?? findModel(model.model ?? "")?.task ?? "chat";
    const source = model.source === undefined ? undefined : splitSource(model.source)?.kind;
    const maintained = enginesFor({ task, source }).filter((engine) => engineOf(engine).legacy === undefined);
    if (legacy !== undefined) {
      yield {
        path: ["models", name, "engine"],
        value: model.engine,
        allowed: `in production ${list(maintained)}: ${label} is a legacy engine, ${legacy}`,
        fix: `write engine: ${maintained[0]}`,
      };
    }
  }
};

export const quantizationsAreKnown: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const { quantization, engine, source } = model;
    const { names: known, allowed = `a weight format of ${engine}: ${list(known, LIST_ENGINES)}` } =
      engineOf(engine).formats;
    if (quantization !== undefined && !known.some((format) => format.toLowerCase() === quantization.toLowerCase())) {
      yield {
        path: ["models", name, "quantization"],
        value: quantization,
        allowed,
        fix: suggest(quantization, known, "take one of these, or remove it for the checkpoint's own format"),
      };
      continue;
    }
    const entry = findModel(model.model ?? "");
    const builds = entry ? buildsOf(entry, engine) : [];
    if (source === undefined && entry && builds.length > 0 && !buildOf(entry, model)) {
      yield {
        path: ["models", name, "quantization"],
        value: quantization,
        allowed: `a build that the catalogue knows of ${entry.name}: ${list(builds.map((build) => build.quantization))}`,
        fix: "take one of these, or add the source of a build with that quantization",
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

export const replicasAreSaidOnce: Rule = function* ({ sections }) {
  for (const [name, model] of Object.entries(sections.models ?? {})) {
    const { minReplicas } = requestedSettings(model);
    const { min, max } = model.replicas;
    if (minReplicas !== undefined && (min !== 1 || max !== 1)) {
      yield {
        path: ["models", name, "replicas"],
        value: { min, max },
        allowed: `nothing: the block of ${model.engine} says how many pods there are, ${minReplicas}`,
        fix: "remove replicas",
      };
    }
  }
};

export const servedNamesAreUnique: Rule = function* ({ sections }) {
  const owners = new Map<string, string>();
  for (const { served, name, path, fix } of servedNames({ ...firsts(sections.models), ...sections.externalModels })) {
    const owner = owners.get(served);
    if (owner === undefined) {
      owners.set(served, name);
      continue;
    }
    yield { path, value: served, allowed: `a name of its own: models.${owner} answers to this one`, fix };
  }
};

/** Canaries answer to their models' names. */
function firsts(models: Readonly<Record<string, ModelConfig>> = {}): Record<string, ModelConfig> {
  return Object.fromEntries(Object.entries(models).filter(([, { revisionOf }]) => revisionOf === undefined));
}

/** All values of `model`: models first, so that of duplicates the adapter's changes. */
function servedNames(
  models: Readonly<
    Record<string, Pick<ModelConfig, "servedName"> & Partial<Pick<ModelConfig, "adapters" | "aliases">>>
  >,
) {
  const entries = Object.entries(models);
  return [
    ...entries.map(([name, { servedName: served = name }]) => ({
      served,
      name,
      path: ["models", name, "servedName"],
      fix: `give it another servedName, for example ${served}-2`,
    })),
    ...entries.flatMap(([name, { aliases = [] }]) =>
      aliases.map((served, index) => ({
        served,
        name: `${name}.aliases`,
        path: ["models", name, "aliases", index],
        fix: "remove it, or take another name",
      })),
    ),
    ...entries.flatMap(([name, { adapters = {} }]) =>
      Object.keys(adapters).map((served) => ({
        served,
        name: `${name}.adapters`,
        path: ["models", name, "adapters", served],
        fix: `give it another name, for example ${name}-${served}`,
      })),
    ),
  ];
}

export const aliasesFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, { aliases, engine }] of Object.entries(sections.models ?? {})) {
    if (aliases !== undefined && !engineOf(engine).takesAliases) {
      const taking = engineNames.filter((other) => engineOf(other).takesAliases);
      yield {
        path: ["models", name, "aliases"],
        value: aliases,
        allowed: `only with engine ${taking.join(", ")}: ${engineOf(engine).label} serves a model under one name`,
        fix: "remove aliases and write the name that clients use as servedName, or take such an engine",
      };
    }
  }
};

export const servedNamesFitTheEngines: Rule = function* ({ sections }) {
  for (const [name, { servedName, engine }] of Object.entries(sections.models ?? {})) {
    const path = ["models", name, "servedName"];
    const simplified = servedName?.replace(/[^\w.:/]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "") || name;
    const { servedNames } = engineOf(engine);
    if (servedNames !== undefined && servedName !== undefined && !servedNames.pattern.test(servedName)) {
      const { allowed } = servedNames;
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
      } else if (dedicatedTo && !dedicatedTo.includes(model.revisionOf?.model ?? name)) {
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
    const open = openPools(name, model, pools);
    const most = mostGpus(open);
    const { tensorParallel } = requestedSettings(model);
    if (tensorParallel !== undefined && tensorParallel > 1 && open.length === 0 && hasCpuPool(name, model, pools)) {
      yield {
        path: ["models", name, model.engine, "tensorParallel"],
        value: tensorParallel,
        allowed: "1: its pools have no GPUs, and a replica on CPUs is one pod that is not split",
        fix: "remove tensorParallel, or take a pool with GPUs",
      };
    } else if (
      tensorParallel !== undefined &&
      tensorParallel > 1 &&
      open.length > 0 &&
      open.every(({ sharing }) => sharing)
    ) {
      yield {
        path: ["models", name, model.engine, "tensorParallel"],
        value: tensorParallel,
        allowed: "1: its pools part their GPUs, and a pod with a part of one reaches no other",
        fix: "write tensorParallel: 1, or take a pool whose GPUs are whole",
      };
    } else if (tensorParallel !== undefined && most > 0 && tensorParallel > most) {
      yield {
        path: ["models", name, model.engine, "tensorParallel"],
        value: tensorParallel,
        allowed: `1 to ${most}: no node of its pools has more GPUs`,
        fix: `write tensorParallel: ${most} and add pipelineParallel, or use a pool with larger nodes`,
      };
    }
  }
};

/** GPU pools that the model may use. */
function openPools(name: string, model: ModelConfig, pools: EnvironmentConfig["pools"]): PoolConfig[] {
  return poolsFor(name, model, pools).filter((pool) => knownMachine(pool)?.gpu);
}

function hasCpuPool(name: string, model: ModelConfig, pools: EnvironmentConfig["pools"]): boolean {
  return poolsFor(name, model, pools).some(({ role }) => role === "cpu");
}

function poolsFor(name: string, model: ModelConfig, pools: EnvironmentConfig["pools"]): PoolConfig[] {
  return Object.entries(pools)
    .filter(
      ([pool, { dedicatedTo }]) =>
        (dedicatedTo?.includes(model.revisionOf?.model ?? name) ?? true) && (model.pools?.includes(pool) ?? true),
    )
    .map(([, pool]) => pool);
}

/** GPUs of the largest node that one pod may have. */
function mostGpus(pools: readonly PoolConfig[]): number {
  return Math.max(0, ...pools.map((pool) => (pool.sharing ? 1 : (knownMachine(pool)?.gpu?.count ?? 0))));
}
