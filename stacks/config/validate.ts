import type { z } from "zod";
import { callerKeyProblems } from "./caller-keys";
import { type ConfigProblem, type Path, type ProblemDraft, toProblem, valueAt } from "./core/problems";
import type { RuleContext } from "./core/rule";
import { modelsByPlace, NAMESPACE } from "./core/schema";
import type { modelsSection } from "./core/sections/models";
import type { NodesConfig } from "./core/sections/nodes";
import { checkRules } from "./rules";
import { configSchema, type EnvironmentConfig, environmentSchema, toEnvironment } from "./schema";
import { API_KEY_NAME, isSecretKey, secretKeys } from "./secrets";
import { draftsOf, parseWhatIsRight } from "./structure";
import { plainTokens } from "./tokens";
import { plainIssues } from "./union-issues";

/** For a secret known at deployment only. Never sent anywhere. */
export const SECRET_PLACEHOLDER = "(secret)";

/** Our keys as found, from any reader. */
export interface RawConfig {
  /** By key, without the namespace. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly encrypted: ReadonlySet<string>;
  /** Inside sections, where known. */
  readonly nestedSecrets?: readonly Path[];
  /** Unopened Pulumi ESC environments that may hold missing values. */
  readonly imports?: readonly string[];
  /** From 1. */
  readonly lineOf?: (path: Path) => number | undefined;
}

export type Validation =
  | { readonly ok: true; readonly environment: EnvironmentConfig }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * All problems of structure, secrets and rules between fields, by section, without duplicates.
 * Never throws.
 */
export function validateConfig(raw: RawConfig): Validation {
  const secrets = secretProblems(raw);
  const told = secrets.map(({ path }) => path);
  const structure = structureProblems(raw).filter(({ path }) => !told.some((each) => contains(each, path)));
  told.push(...structure.map(({ path }) => path));
  const rules = checkRules(contextOf(raw)).filter(
    ({ path, causes = [] }) =>
      !told.some((each) => contains(each, path) || [path, ...causes].some((cause) => contains(cause, each))),
  );

  told.push(...rules.map(({ path }) => path));
  const tokens = plainTokens(withoutSecrets(raw.values)).filter(
    ({ path }) => !told.some((each) => contains(each, path)),
  );

  const drafts = [...secrets, ...structure, ...rules, ...tokens];
  if (drafts.length > 0) {
    return { ok: false, problems: bySection(drafts).map((draft) => printable(draft, raw)) };
  }
  return { ok: true, environment: toEnvironment(withoutSecrets(raw.values)) };
}

function structureProblems({ values, encrypted, imports = [] }: RawConfig): ProblemDraft[] {
  const known = Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !API_KEY_NAME.test(key))
      .map(([key, value]) => [key, encrypted.has(key) && value === SECRET_PLACEHOLDER ? undefined : value]),
  );
  const issues = plainIssues(configSchema.safeParse(known).error?.issues ?? [], known);
  // A correction of a secret would show it.
  const found = issues
    .flatMap((issue) => draftsOf(issue, values))
    .map((draft) =>
      isSecretKey(String(draft.path[0]))
        ? { ...draft, fix: `run pulumi config set --secret ${NAMESPACE}:${draft.path[0]}` }
        : draft,
    );
  const drafts = uniqueDrafts([...found, ...droppedNames(values)]);
  return imports.length === 0 ? drafts : drafts.map((draft) => withoutImports(draft, imports));
}

/** A value that breaks two rules of its field is reported once. */
function uniqueDrafts(drafts: readonly ProblemDraft[]): ProblemDraft[] {
  const seen = new Set<string>();
  return drafts.filter(({ path, fix }) => {
    const key = JSON.stringify([path, fix]);
    return !seen.has(key) && seen.add(key);
  });
}

/** A missing section may be in a Pulumi ESC environment, which only Pulumi opens. */
function withoutImports(draft: ProblemDraft, imports: readonly string[]): ProblemDraft {
  return draft.path.length === 1 && draft.value === undefined
    ? {
        ...draft,
        fix: `write it in this file, or in a copy for --config: it may be in Pulumi ESC (${imports.join(", ")}), which only Pulumi opens`,
      }
    : draft;
}

/** zod silently drops this name from records, against prototype pollution. */
function droppedNames(values: RawConfig["values"]): ProblemDraft[] {
  return ["pools", "models", "nodes", "commonLabels"]
    .filter((section) => namesIn(values[section]).includes("__proto__"))
    .map((section) => ({
      path: [section, "__proto__"],
      value: "__proto__",
      allowed: "another name",
      fix: "rename it",
    }));
}

function secretProblems({ values, encrypted, nestedSecrets = [] }: RawConfig): ProblemDraft[] {
  const present = Object.keys(values).filter((key) => isSecretKey(key) && values[key] !== undefined);
  const plain = present.filter((key) => !encrypted.has(key));
  const unusable = present.filter((key) => API_KEY_NAME.test(key) && encrypted.has(key) && !isApiKey(values[key]));
  const inSections = Object.keys(environmentSchema.shape).filter((key) => encrypted.has(key));
  return [
    ...plain.map((key) => ({
      path: [key],
      value: undefined,
      allowed: "an encrypted value",
      fix: `run pulumi config set --secret ${NAMESPACE}:${key}, and treat the plain value as leaked`,
    })),
    ...unusable.map((key) => ({
      path: [key],
      value: values[key],
      allowed: "an API key: visible characters without spaces",
      fix: `run pulumi config set --secret ${NAMESPACE}:${key}`,
    })),
    ...callerKeyProblems(
      values,
      (key) => encrypted.has(key) && values[key] !== SECRET_PLACEHOLDER && !unusable.includes(key),
    ),
    ...inSections.map((key) => ({
      path: [key],
      value: undefined,
      allowed: `plain values; secrets have keys of their own: ${secretKeys.join(", ")}`,
      fix: "take the secret out of the section and set it with pulumi config set --secret under its own key",
    })),
    ...nestedSecrets.map((path) => ({
      path,
      value: undefined,
      allowed: `a plain value; secrets have keys of their own: ${secretKeys.join(", ")}`,
      fix: "give the secret a key of its own with pulumi config set --secret, and remove it here",
    })),
  ];
}

/** It becomes a header, which characters other than visible ASCII would end or forge. */
function isApiKey(value: unknown): boolean {
  return typeof value === "string" && /^[!-~]{1,4096}$/.test(value);
}

function contextOf({
  values,
  encrypted,
  nestedSecrets = [],
}: RawConfig): RuleContext<Omit<EnvironmentConfig, "gateway">> {
  const schemas: Readonly<Record<string, z.ZodType>> = environmentSchema.shape;
  // Sections with an encrypted value are unknown and not judged further.
  const readable = Object.entries(schemas).filter(([name]) => !nestedSecrets.some(([section]) => section === name));
  const { models, nodes, ...others } = Object.fromEntries(
    readable.map(([name, schema]) => [name, parseWhatIsRight(name, schema, values[name])]),
  );
  const groups = nodes as NodesConfig | undefined;
  const sections = {
    ...others,
    ...(groups !== undefined && { nodes: groups }),
    ...(models !== undefined && modelsByPlace(models as z.output<typeof modelsSection>, groups ?? {})),
  };
  const secrets = Object.keys(values).filter((key) => isSecretKey(key) && values[key] !== undefined);
  const secretTexts = Object.fromEntries(
    secrets.flatMap((key) => {
      const text = values[key];
      return encrypted.has(key) && typeof text === "string" && text !== SECRET_PLACEHOLDER ? [[key, text]] : [];
    }),
  );
  const isWritten = (path: Path) => valueAt(values, path) !== undefined;
  const names = namesIn(values.models);
  const modelKeys = Object.fromEntries(names.map((name) => [name, namesIn(valueAt(values.models, [name]))]));
  const adapters = names.flatMap((name) => namesIn(valueAt(values.models, [name, "adapters"])));
  return {
    sections,
    declared: { pools: namesIn(values.pools), models: names, adapters, modelKeys, secrets, secretTexts, isWritten },
  };
}

function namesIn(section: unknown): string[] {
  return typeof section === "object" && section !== null && !Array.isArray(section) ? Object.keys(section) : [];
}

function withoutSecrets(values: RawConfig["values"]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isSecretKey(key)));
}

function contains(outer: Path, path: Path): boolean {
  return outer.length <= path.length && outer.every((key, index) => key === path[index]);
}

function bySection(drafts: readonly ProblemDraft[]): ProblemDraft[] {
  const order = [...Object.keys(configSchema.shape)];
  const rank = ({ path: [section] }: ProblemDraft) => {
    const index = order.indexOf(String(section));
    return index === -1 ? order.length : index;
  };
  return [...drafts].sort((a, b) => rank(a) - rank(b));
}

function printable(draft: ProblemDraft, { values, encrypted, nestedSecrets = [], lineOf }: RawConfig): ConfigProblem {
  const [key = ""] = draft.path;
  const present = valueAt(values, draft.path) !== undefined;
  const isSecret = encrypted.has(String(key)) || isSecretKey(String(key));
  const isNested = nestedSecrets.some((path) => contains(path, draft.path) || contains(draft.path, path));
  return toProblem(draft, present && (isSecret || isNested), lineOf?.(draft.path));
}
