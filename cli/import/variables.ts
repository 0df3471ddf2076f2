import { ruleFor } from "../../catalog/engine-options";
import { releaseHas } from "../../catalog/engine-releases";
import { engineOf } from "../../engines";
import { isOpen } from "./command-line";
import type { ModelDraft } from "./draft";
import { isMapping, type Path, rowOf } from "./path";
import { holdsSecret, isSecretName } from "./secrets";

const HUB_TOKENS = ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN", "HUGGING_FACE_TOKEN"];

export const HUB_TOKEN_REASON = "secrets are not copied: pulumi config set --secret inference-stacks:huggingFaceToken";

/** A value, or a reference to a Secret or ConfigMap. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
  readonly at: Path;
}

/** A list, a mapping, or texts `NAME=value`. */
export function variablesOf(env: unknown, at: Path): Variable[] {
  if (Array.isArray(env)) {
    return (env as unknown[]).flatMap((each, index): Variable[] => {
      const place = [...at, index];
      if (typeof each === "string") {
        const [name = "", ...value] = each.split("=");
        return [{ name, value: each.includes("=") ? value.join("=") : undefined, at: place }];
      }
      const name = isMapping(each) ? (each.name ?? each.key) : undefined;
      return isMapping(each) && typeof name === "string" ? [{ name, value: textOf(each.value), at: place }] : [];
    });
  }
  return isMapping(env)
    ? Object.entries(env).map(([name, value]) => ({ name, value: textOf(value), at: [...at, name] }))
    : [];
}

function textOf(value: unknown): string | undefined {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}

/** For references; secrets are excluded. */
export function valuesOf(variables: readonly Variable[]): Record<string, string> {
  return Object.fromEntries(
    variables.flatMap(({ name, value }) => (value === undefined || isSecret(name, value) ? [] : [[name, value]])),
  );
}

/** Keeps those that the engine reads. */
export function applyVariables(model: ModelDraft, variables: readonly Variable[], used: ReadonlySet<string>): void {
  for (const variable of variables) {
    applyVariable(model, variable, used);
  }
}

function applyVariable(model: ModelDraft, { name, value, at }: Variable, used: ReadonlySet<string>): void {
  const { ledger, engine } = model;
  // In a list, the message names the variable.
  const said = (why: string) => (typeof at[at.length - 1] === "number" ? `${name}: ${why}` : why);
  const { options, label, variablePrefix } = engineOf(engine);
  const setting = engine === "ollama" ? rowOf(OLLAMA_SETTINGS, name) : undefined;
  const key = value === undefined ? undefined : setting?.(model, value);
  if (key !== undefined) {
    model.places.set(key, at);
    ledger.mapped(at, `models.*.${key}`);
    return;
  }
  if (value === "") {
    ledger.cover(at);
    return;
  }
  if (HUB_TOKENS.includes(name)) {
    ledger.changed(at, said(HUB_TOKEN_REASON), "huggingFaceToken");
    return;
  }
  if (isSecret(name, value)) {
    ledger.lost(at, said("secrets are not copied, and engines receive none"));
    return;
  }
  if (used.has(name)) {
    ledger.changed(at, said("it is put in where the command line refers to it"));
    return;
  }
  if (value !== undefined && isOpen(value)) {
    ledger.lost(at, said("its value is set outside of the file: write it under env of the model"));
    return;
  }
  if (value === undefined) {
    ledger.lost(at, said("its value is in a Secret or ConfigMap: write it under env of the model"));
    return;
  }
  const rules = options.environment;
  const version = model.image?.image.version ?? options.options.version;
  const isKnown =
    options.options.environment.some((each) => each.name === name) ||
    (options.releases !== undefined && releaseHas(options.releases.environment, name, version)) ||
    isOfLibraries(name);
  const reason =
    ruleFor(rules.refused, name) ??
    settingReason(rules.settings, name) ??
    (isKnown ? undefined : ruleFor(rules.former ?? {}, name));
  if (reason !== undefined) {
    ledger.lost(at, said(reason));
  } else if (isKnown) {
    model.env[name] = value;
    model.places.set(`env.${name}`, at);
    ledger.mapped(at, `models.*.env.${name}`);
  } else {
    const why = name.startsWith(variablePrefix)
      ? `${label} ${version} reads no variable ${name}`
      : `${label} reads no variable ${name}`;
    ledger.lost(at, why);
  }
}

export function isSecret(name: string, value: string | undefined): boolean {
  return isSecretName(name) || HUB_TOKENS.includes(name) || holdsSecret(value ?? "");
}

/** Undefined for an unsupported value. */
const OLLAMA_SETTINGS: Readonly<Record<string, (model: ModelDraft, value: string) => string | undefined>> = {
  OLLAMA_CONTEXT_LENGTH: (model, value) => whole(model, "contextTokens", value),
  OLLAMA_NUM_PARALLEL: (model, value) => whole(model, "concurrency", value),
  OLLAMA_KV_CACHE_TYPE: (model, value) => {
    const ours = rowOf({ f16: "auto", q8_0: "fp8" }, value);
    if (ours === undefined) {
      return undefined;
    }
    model.block.kvCacheDtype = ours;
    return "ollama.kvCacheDtype";
  },
};

function whole(model: ModelDraft, field: string, value: string): string | undefined {
  const number = Number(value);
  if (!Number.isInteger(number) || number <= 0) {
    return undefined;
  }
  model.settings[field] = number;
  model.statesContext ||= field === "contextTokens";
  return field;
}

function settingReason(settings: Readonly<Record<string, string>>, name: string): string | undefined {
  const key = ruleFor(settings, name);
  return key === undefined ? undefined : `models.<name>.${key} decides it`;
}

/** Common to all engines. vLLM's pods agree on prefix hashes by PYTHONHASHSEED. */
function isOfLibraries(name: string): boolean {
  return /^((NCCL|RCCL|CUDA|HIP|HSA|ROCM|PYTORCH|TORCH|OMP|UCX|NVSHMEM|GLOO)_|PYTHONHASHSEED$)/.test(name);
}
