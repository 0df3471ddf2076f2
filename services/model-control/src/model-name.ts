import { InvalidModelName } from "./errors";

/** Default registry. Source: ollama v0.32.15, types/model/name.go, read 2026-11-21. */
export const DEFAULT_REGISTRY = "registry.ollama.ai";
const DEFAULT_NAMESPACE = "library";
const DEFAULT_TAG = "latest";

// Grammar from the same file. Parts start with a letter, digit or "_", which excludes ".." and
// empty parts.
const HOST = "[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}";
const NAMESPACE = "[A-Za-z0-9_][A-Za-z0-9_-]{0,79}";
const PART = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}";
const GRAMMAR = new RegExp(
  `^(?:(?:(?<host>${HOST})/)?(?<namespace>${NAMESPACE})/)?(?<model>${PART})(?::(?<tag>${PART}))?$`,
);

/** Longer texts are not matched. */
export const LONGEST_MODEL_NAME = 600;

/** Names that requests may use. Models are fetched only from listed registries. */
export interface NameRules {
  /** Hosts, with non-default ports: `registry.ollama.ai`, `hf.co`, `127.0.0.1:5000`. */
  readonly registries: readonly string[];
  /** Models an engine serves from startup, in its spelling; accepted verbatim. */
  readonly fixed: readonly string[];
}

/** Parsed name. */
interface ReadName {
  /** Host in lower case. */
  readonly registry: string;
  readonly host: string;
  /** Canonical name as in Ollama's lists: with tag, without the default registry and namespace. */
  readonly spelling: string;
}

/**
 * Canonical name in any registry; `undefined` for invalid names. `llama3.2`, `library/llama3.2` and
 * `registry.ollama.ai/library/llama3.2:latest` all give `llama3.2:latest`.
 */
export function spellingOf(text: string): string | undefined {
  return readName(text)?.spelling;
}

/**
 * Canonical name of an allowed model: see `spellingOf`.
 *
 * @throws InvalidModelName for a name outside the grammar `[host[:port]/][namespace/]model[:tag]`,
 *   or a registry that is not allowed.
 */
export function parseModelName(text: string, rules: NameRules): string {
  if (rules.fixed.includes(text)) {
    return text;
  }
  const name = readName(text);
  if (name === undefined) {
    throw new InvalidModelName(
      `${quote(text)} is not a model name; allowed: [host[:port]/][namespace/]model[:tag], for example llama3.2:3b`,
    );
  }
  if (!rules.registries.includes(name.registry)) {
    throw new InvalidModelName(
      `the registry ${quote(name.host)} is not allowed; allowed: ${rules.registries.join(", ") || "none"} ("registries" in the configuration)`,
    );
  }
  return name.spelling;
}

function readName(text: string): ReadName | undefined {
  const parts = text.length > LONGEST_MODEL_NAME ? undefined : GRAMMAR.exec(text)?.groups;
  if (parts?.model === undefined) {
    return undefined;
  }
  const { host = DEFAULT_REGISTRY, namespace = DEFAULT_NAMESPACE, model, tag = DEFAULT_TAG } = parts;
  const registry = host.toLowerCase();
  const short = namespace === DEFAULT_NAMESPACE ? `${model}:${tag}` : `${namespace}/${model}:${tag}`;
  return {
    registry,
    host,
    spelling: registry === DEFAULT_REGISTRY ? short : `${registry}/${namespace}/${model}:${tag}`,
  };
}

/** Pattern of the allowed names, for the API description. */
export function modelNamePattern({ registries, fixed }: NameRules): string {
  const host = registries.map(literal).join("|");
  const withHost = `(?:(?:${host})/${NAMESPACE}/)`;
  const short = `(?:${NAMESPACE}/)?`;
  const prefix = registries.includes(DEFAULT_REGISTRY) ? `(?:${withHost}|${short})` : withHost;
  const registryName = `${prefix}${PART}(?::${PART})?`;
  const alternatives = [...(registries.length === 0 ? [] : [registryName]), ...fixed.map(literal)];
  return `^(?:${alternatives.join("|")})$`;
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 100 ? text : `${text.slice(0, 97)}...`);
}
