/** `models.<name>.args` and `env` against the pinned engine's options; its block, the task. */
import { type EngineArgument, type EngineVariable, type OptionRules, ruleFor } from "../../../catalog/engine-options";
import { findModel } from "../../../catalog/models";
import { type EngineName, engineOf, engineOptions, readFlags } from "../../../engines";
import { runsRepositoryCode } from "../../../engines/repository-code";
import { commitOf, parseSource } from "../../../engines/sources";
import { MODEL_FOLDER } from "../../../names/pod-folders";
import type { ArgumentValue } from "../../../planner/types";
import { holdsToken } from "../core/credentials";
import { didYouMean, HIDDEN, list, type Path, type ProblemDraft, suggest } from "../core/problems";
import type { Rule } from "../core/rule";
import { blockOf, releaseOf, settingFaults } from "../engine-block";
import { fieldAt, flowYaml, printable } from "../field-text";
import { foreignValue } from "../foreign-words";
import { type OutsideName, outsideNames } from "../outside-names";
import type { ModelConfig } from "../schema";
import { secretKeys } from "../secrets";
import { isFlagOfRelease, optionOfRelease, valueOfRelease } from "./options-of-release";

type Fault = Pick<ProblemDraft, "allowed" | "fix"> & { readonly secret?: boolean };

export const argumentsAreKnown: Rule = function* ({ sections }) {
  for (const [model, config] of Object.entries(sections.models ?? {})) {
    const path = ["models", model, "args"];
    const { label, options } = engineOf(config.engine);
    if (config.args !== undefined && options.options.arguments.length === 0) {
      yield {
        path,
        value: config.args,
        allowed: `nothing: ${label} takes no flags, it reads variables`,
        fix: `remove args; variables of ${label} are under env`,
      };
      continue;
    }
    yield* problems(path, config.args, (name, value) => argumentFault(name, value, config));
  }
};

export const variablesAreKnown: Rule = function* ({ sections }) {
  for (const [model, config] of Object.entries(sections.models ?? {})) {
    yield* problems(["models", model, "env"], config.env, (name, value) => variableFault(name, value, config));
  }
};

export const ownSettingsFitTheTask: Rule = function* ({ sections }) {
  for (const [model, config] of Object.entries(sections.models ?? {})) {
    const task = config.task ?? findModel(config.model ?? "")?.task ?? "chat";
    for (const { key, allowed, fix } of settingFaults(config, task)) {
      yield { path: ["models", model, config.engine, key], value: blockOf(config)?.[key], allowed, fix };
    }
  }
};

function* problems<T extends ArgumentValue>(
  path: Path,
  values: Readonly<Record<string, T>> | undefined,
  faultOf: (name: string, value: T) => Fault | undefined,
): Generator<ProblemDraft> {
  for (const [name, value] of Object.entries(values ?? {})) {
    const fault = credentialFault(value) ?? foreignFault([...path, name], value) ?? faultOf(name, value);
    if (fault) {
      yield { path: [...path, name], value: fault.secret ? HIDDEN : value, allowed: fault.allowed, fix: fault.fix };
    }
  }
}

/** A value of other deployments with another meaning here. */
function foreignFault(path: Path, value: ArgumentValue): Fault | undefined {
  const meaning = foreignValue(path, value);
  return meaning && { allowed: meaning.why ?? "another value", fix: meaning.fix };
}

function argumentFault(name: string, value: ArgumentValue, config: ModelConfig): Fault | undefined {
  const { argumentNamed, arguments: rules } = engineOptions(config.engine);
  const argument = argumentNamed.get(name);
  const forbidden = forbiddenBy(
    rules,
    name,
    argument !== undefined || isFlagOfRelease(name, config),
    config.engine,
    value,
  );
  if (forbidden) {
    return forbidden;
  }
  if (argument === undefined) {
    return isPinned(config)
      ? unknownArgument(name, config.engine)
      : (optionOfRelease("arguments", name, config) ?? outsideFault(name, value, config));
  }
  if (runsRepositoryCode({ args: { [name]: value } }) && commitOf(parseSource(config.source ?? "")) === undefined) {
    return {
      allowed:
        "together with source: hf://org/name@<commit>: the code is then copied into the model store with a hash. Without a commit, and in a bucket, it could change unseen",
      fix: "read the repository's code, then write its commit into source, or remove the flag",
    };
  }
  const ofRelease = isPinned(config)
    ? undefined
    : (optionOfRelease("arguments", name, config) ?? valueOfRelease(name, value, config));
  return (
    ofRelease ??
    valueFault(argument, value, isPinned(config)) ??
    memoryFault(name, value, config.engine) ??
    outsideFault(name, value, config)
  );
}

/** The pod is offline: named things must be in it. Some flags have advice on their values. */
function outsideFault(name: string, value: ArgumentValue, config: ModelConfig): Fault | undefined {
  const { texts = {}, advice } = engineOptions(config.engine).arguments;
  const isHarmless = ruleFor(texts, name) !== undefined || ruleFor(advice, name) !== undefined;
  return isHarmless ? undefined : outsidePod(outsideNames(name, value)[0], fixOutside(name, config));
}

/** Other words with a slash in a variable may mean anything. */
function addressFault(name: string, value: ArgumentValue, { advice }: OptionRules): Fault | undefined {
  const address = outsideNames(name, value).find(({ isAddress }) => isAddress);
  return ruleFor(advice, name) === undefined ? outsidePod(address, "remove it") : undefined;
}

function outsidePod(found: OutsideName | undefined, fix: string): Fault | undefined {
  return (
    found && { allowed: `what is in the pod, which is offline: ${JSON.stringify(found.text)} is ${found.what}`, fix }
  );
}

function fixOutside(name: string, { args }: ModelConfig): string {
  const ownMethod = name.startsWith("spec")
    ? "take a method that needs no other model (ngram; mtp with heads inside the checkpoint)"
    : undefined;
  if (runsRepositoryCode({ ...(args && { args }) })) {
    // Repository code needs a commit, which buckets lack.
    return ownMethod ?? "remove it: files of the model's own repository alone are in its folder";
  }
  return ownMethod
    ? `${ownMethod}, or put its files into a folder of an s3:// source and write the path below ${MODEL_FOLDER}`
    : `put the files next to the weights of an s3:// source and write their path below ${MODEL_FOLDER}, or remove it`;
}

/** The memory figure must understand the value. */
function memoryFault(name: string, value: ArgumentValue, engine: EngineName): Fault | undefined {
  const [problem] = readFlags(engine, { [name]: value }).problems;
  return problem && { allowed: problem.allowed, fix: "write such a value, or remove the flag" };
}

function variableFault(name: string, value: string | number | boolean, config: ModelConfig): Fault | undefined {
  const { options, environment: rules } = engineOptions(config.engine);
  const variable = options.environment.find((known) => known.name === name);
  const forbidden = forbiddenBy(rules, name, true, config.engine, value);
  if (forbidden) {
    return { ...forbidden, secret: isSecretName(name) };
  }
  const lacking = isPinned(config) ? undefined : optionOfRelease("environment", name, config);
  if (lacking) {
    return { ...lacking, secret: isSecretName(name) };
  }
  if (variable?.kind === "switch") {
    return [true, false, 0, 1, "0", "1"].includes(value)
      ? undefined
      : { allowed: "true or false", fix: "write true or false, without quotes" };
  }
  if (variable !== undefined) {
    return valueFault(variable, value, isPinned(config)) ?? addressFault(name, value, rules);
  }
  if (isSecretName(name) && typeof value === "string" && !isNumber(value)) {
    return {
      allowed: "no secrets: anyone who can view the pod can read them",
      fix: `remove it, and treat the value as leaked; secrets of the platform have keys of their own: ${secretKeys.join(", ")}`,
      secret: true,
    };
  }
  const { label, variablePrefix: own } = engineOf(config.engine);
  if (name.startsWith(own) && isPinned(config)) {
    const known = options.environment.map((each) => each.name).filter((each) => each.startsWith(own));
    return {
      allowed: `a variable of ${label} ${options.version} (docs/engine-options.md)`,
      fix:
        (rules.former && ruleFor(rules.former, name)) ??
        asFlag(name.slice(own.length), value, config.engine) ??
        suggest(name, known, `remove it: ${label} ${options.version} does not read it`),
    };
  }
  return addressFault(name, value, rules);
}

/** A variable that became a flag: `VLLM_ATTENTION_BACKEND`. */
function asFlag(name: string, value: ArgumentValue, engine: EngineName): string | undefined {
  const flag = name.toLowerCase().replaceAll("_", "-");
  const { argumentNamed, arguments: rules } = engineOptions(engine);
  if (
    !argumentNamed.has(flag) ||
    ruleFor(rules.settings, flag) !== undefined ||
    ruleFor(rules.refused, flag) !== undefined
  ) {
    return undefined;
  }
  return `write args: {${flag}: ${flowYaml(value)}} in its place: it is a flag now`;
}

/** Options reserved by the platform, at any value. */
function forbiddenBy(
  { settings, refused }: OptionRules,
  name: string,
  exists: boolean,
  engine: EngineName,
  value: ArgumentValue,
): Fault | undefined {
  const key = exists ? ruleFor(settings, name) : undefined;
  if (key !== undefined) {
    return {
      allowed: `set by ${key} of the model, which the plan accounts for`,
      fix: `remove it here and write ${key}${valueThere(key, value, engine)}`,
    };
  }
  const reason = exists ? ruleFor(refused, name) : undefined;
  return reason === undefined ? undefined : { allowed: `not to be set: ${reason}`, fix: "remove it" };
}

/** For the key: `: 2`; or why only one of several fits. */
function valueThere(key: string, value: ArgumentValue, engine: EngineName): string {
  const field = fieldAt(["models", "any", ...key.split(".")], { models: { any: { engine } } });
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const shown = printable(field, items[0]);
  if (field?.enum !== undefined && shown === "…") {
    return `, which has ${list(field.enum.map(String))} alone`;
  }
  const several = items.length > 1 && field?.type === "string" ? ", the one value that it takes" : "";
  return shown === "…" ? several : `: ${shown}${several}`;
}

function unknownArgument(name: string, engine: EngineName): Fault {
  const { label, options } = engineOf(engine);
  const { version, arguments: known } = options.options;
  const plain = name.replace(/^-+/, "").replaceAll("_", "-");
  const allowed = `a flag of ${label} ${version}, without dashes before it`;
  const off = known.find(({ name: each, negation }) => plain === negation || plain === `no-${each}`);
  const same = known.find(({ name: each, aliases }) => each === plain || aliases?.includes(plain));
  const [flag = "", ...inside] = plain.split(/[.=]/);
  if (off) {
    return { allowed, fix: `write ${off.name}: false` };
  }
  if (same) {
    return { allowed, fix: writtenAs(same.name, options.arguments) };
  }
  const former = options.arguments.former && ruleFor(options.arguments.former, plain);
  if (former !== undefined) {
    return { allowed, fix: former };
  }
  if (inside.length > 0 && known.some((each) => each.name === flag)) {
    return { allowed, fix: `write ${flag}: and its value, or its fields as a mapping, behind it` };
  }
  const meant = didYouMean(
    plain,
    known.map((each) => each.name),
  );
  return {
    allowed,
    fix: meant === undefined ? `remove it: ${label} ${version} has none like it` : writtenAs(meant, options.arguments),
  };
}

/** The intended option, or its replacement where reserved by the platform. */
function writtenAs(name: string, { settings, refused }: OptionRules): string {
  const key = ruleFor(settings, name);
  if (key !== undefined) {
    return `remove it here and write ${key} of the model`;
  }
  return ruleFor(refused, name) === undefined ? `did you mean "${name}"?` : "remove it";
}

function valueFault(
  { kind, choices = [], ...option }: EngineArgument | EngineVariable,
  value: ArgumentValue,
  pinned: boolean,
): Fault | undefined {
  const argument: Partial<EngineArgument> = option;
  switch (kind) {
    case "switch":
      return switchFault(argument, value);
    case "integer":
      if (
        choices.length > 0
          ? choices.some((choice) => choice === value || Number(choice) === value)
          : isInteger(value, argument.suffix ?? false)
      ) {
        return undefined;
      }
      return choices.length > 0
        ? { allowed: `one of ${choices.join(", ")}`, fix: `write for example ${choices[0]}` }
        : { allowed: "a whole number", fix: "write a whole number, without quotes" };
    case "number":
      return isNumber(value) ? undefined : { allowed: "a number", fix: "write a number, without quotes" };
    case "json":
      return typeof value === "object" || argument.open || (typeof value === "string" && isJson(value))
        ? undefined
        : { allowed: "a mapping, a list or JSON text", fix: "write a mapping, for example {key: value}" };
    case "list":
      return listFault(value);
    case "text":
      if (typeof value === "object" || typeof value === "boolean" || String(value) === "") {
        return {
          allowed: choices.length > 0 ? `one of ${list(choices)}` : "text",
          fix: 'write text, for example "auto"',
        };
      }
      // Plugins are refused, so open choices count as closed; other versions may have more.
      return choices.length === 0 || choices.includes(String(value)) || !pinned
        ? undefined
        : { allowed: `one of ${choices.join(", ")}`, fix: suggest(String(value), choices, "take one of these") };
  }
}

function switchFault(
  { negation, assigned }: Pick<EngineArgument, "negation" | "assigned">,
  value: ArgumentValue,
): Fault | undefined {
  if (typeof value !== "boolean") {
    return { allowed: "true or false", fix: "write true or false, without quotes" };
  }
  return value || assigned || negation !== undefined
    ? undefined
    : { allowed: "true: nothing switches it off", fix: "remove it: it is off by default" };
}

function listFault(value: ArgumentValue): Fault | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const fit = items.every((item) => typeof item === "string" || typeof item === "number");
  if (items.length === 0 || !fit) {
    return { allowed: "a list of texts or numbers", fix: "write it as a list: [a, b]" };
  }
  return items.some((item) => String(item).startsWith("-"))
    ? { allowed: 'items that do not begin with "-": the engine would take them for flags', fix: "remove that item" }
    : undefined;
}

function credentialFault(value: ArgumentValue): Fault | undefined {
  return holdsToken(typeof value === "string" ? value : JSON.stringify(value))
    ? {
        allowed: "no secrets: anyone who can view the pod can read its arguments and variables",
        fix: `remove it, and treat the value as leaked; secrets of the platform have keys of their own: ${secretKeys.join(", ")}`,
        secret: true,
      }
    : undefined;
}

function isSecretName(name: string): boolean {
  return /(^|_)(TOKENS?|(API|ACCESS)?KEYS?|SECRETS?|PASS|PASSWORDS?|PASSWD|PWD|CREDENTIALS?)(_|$)/i.test(name);
}

function isPinned(config: ModelConfig): boolean {
  return releaseOf(config) === engineOptions(config.engine).options.version;
}

function isInteger(value: ArgumentValue, suffix: boolean): boolean {
  return (
    Number.isSafeInteger(value) || (typeof value === "string" && (suffix ? /^\d+[kKmMgGtT]?$/ : /^-?\d+$/).test(value))
  );
}

function isNumber(value: ArgumentValue): boolean {
  return typeof value === "number"
    ? Number.isFinite(value)
    : typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
