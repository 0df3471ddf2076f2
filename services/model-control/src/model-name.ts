import { InvalidModelName } from "./errors";

/** The registry of a name that has none. Source: ollama v0.32.15, types/model/name.go, read 2026-11-21. */
export const DEFAULT_REGISTRY = "registry.ollama.ai";
const DEFAULT_NAMESPACE = "library";
const DEFAULT_TAG = "latest";

// Source of the grammar: the same file. Every part starts with a letter, a digit or "_": no part can be "..", or empty.
const HOST = "[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}";
const NAMESPACE = "[A-Za-z0-9_][A-Za-z0-9_-]{0,79}";
const PART = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}";
const GRAMMAR = new RegExp(
  `^(?:(?:(?<host>${HOST})/)?(?<namespace>${NAMESPACE})/)?(?<model>${PART})(?::(?<tag>${PART}))?$`,
);

/** No name is longer; a longer text is not even matched. */
export const LONGEST_MODEL_NAME = 600;

/** Which names may be asked for: nothing is ever fetched from a registry that is not listed. */
export interface NameRules {
  /** Hosts, with the port where it is not the default one: `registry.ollama.ai`, `hf.co`, `127.0.0.1:5000`. */
  readonly registries: readonly string[];
  /** Names of models that an engine serves from its start, in its own spelling: they are taken as they stand. */
  readonly fixed: readonly string[];
}

/** A name that keeps to the grammar. */
interface ReadName {
  /** Host in small letters. */
  readonly registry: string;
  readonly host: string;
  /** The one spelling: always with its tag, without the default registry and namespace, as Ollama lists it. */
  readonly spelling: string;
}

/**
 * The one spelling of a model, whatever its registry; `undefined` for what breaks the grammar.
 * `llama3.2`, `library/llama3.2` and `registry.ollama.ai/library/llama3.2:latest` are all `llama3.2:latest`.
 */
export function spellingOf(text: string): string | undefined {
  return readName(text)?.spelling;
}

/**
 * The one spelling of a model: see `spellingOf`.
 *
 * @throws InvalidModelName for what breaks the grammar `[host[:port]/][namespace/]model[:tag]`, or names a registry that
 * is not allowed.
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

/** The regular expression of the names that `rules` allow, for the API's description. */
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
