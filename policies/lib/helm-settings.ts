import { type Field, isObject } from "./field";
import { helmValues } from "./helm-values";
import type { Resource } from "./resource";

/** One setting of a program that a Helm chart brings, however its values write it. */
export interface Setting {
  /** What it is called, in lower-case words joined by `-`: several, where a variable begins with the program's name. */
  readonly names: readonly string[];
  /** Names of all that it stands in, and its own, as words. */
  readonly path: string;
  /** Its value; several where it is a list. */
  readonly values: readonly Field[];
  /** Where it is. */
  readonly at: Field;
}

/** Settings as properties, as variables (`name`, `value`), as options of commands, and as lines of files. */
export function helmSettings(resource: Resource): Setting[] {
  return helmValues(resource).flatMap(({ keys, field, holder }) => [
    ...(isObject(field.value) ? [] : [property(keys, field)]),
    ...variable(keys, field, holder),
    ...inText(keys, field),
  ]);
}

/** Names that say something only together with what they are of. */
const OF_HOLDER = /^(enabled?|disabled?|required|strategy|modes?|type|methods?)$/i;

function setting(keys: readonly string[], values: readonly Field[], at: Field): Setting {
  const [holder, name] = [keys.at(-2), keys.at(-1) ?? ""];
  const whole = holder !== undefined && OF_HOLDER.test(name) ? `${holder}.${name}` : name;
  return { names: namesOf(whole), path: words(keys.join(".")), values, at };
}

function property(keys: readonly string[], field: Field): Setting {
  return setting(keys, Array.isArray(field.value) ? field.items() : [field], field);
}

/** `{ name: X, value: "…" }`, which `env: { X: "…" }` writes as a property. */
function variable(keys: readonly string[], field: Field, holder: Field): Setting[] {
  const name = keys.at(-1) === "value" ? holder.get("name").value : undefined;
  return typeof name === "string" ? [setting([...keys.slice(0, -1), name], [field], field)] : [];
}

interface Word {
  readonly word: string;
  readonly at: Field;
}

function inText(keys: readonly string[], field: Field): Setting[] {
  const items = (Array.isArray(field.value) ? field.items() : [field]).filter(({ value }) => typeof value === "string");
  const texts = items.map((at) => ({ text: String(at.value), at }));
  const found = texts.flatMap(({ text, at }) =>
    text.split(/[\s"']+/).flatMap((word): Word[] => (word === "" ? [] : [{ word, at }])),
  );
  return [...options(keys, found), ...texts.flatMap(({ text, at }) => lines(keys, text, at))];
}

/** `--name=value`, `--name value`, and `--name`, which is true. */
function options(keys: readonly string[], found: readonly Word[]): Setting[] {
  return found.flatMap(({ word, at }, index) => {
    const [, name, given] = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/.exec(word) ?? [];
    const next = found[index + 1]?.word;
    const value = given ?? (next === undefined || next.startsWith("-") ? "true" : next);
    return name === undefined ? [] : [setting([...keys, name], [at.containing(value)], at)];
  });
}

/** Lines of files of settings: `[section]` or `section:`, and `name = value` or `name: value`. */
function lines(keys: readonly string[], text: string, at: Field): Setting[] {
  let section: string | undefined;
  return text.split("\n").flatMap((line) => {
    section = /^\s*(?:\[([^\]]+)\]|([\w.-]+):)\s*$/.exec(line)?.slice(1).find(Boolean) ?? section;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z][\w.-]*)\s*[=:]\s*["']?([\w-]+)["']?\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined
      ? []
      : [setting([...keys, ...(section === undefined ? [] : [section]), name], [at.containing(value)], at)];
  });
}

/** Ways to know a caller: a variable that ends in one of them and `AUTH` is of this way alone. */
const WAYS = ["basic", "client", "digest", "http", "jwt", "key", "ldap", "oidc", "proxy", "saml", "tls", "token"];

/** Variables (`WEBUI_AUTH`) begin with the name of a program, in any number of words. */
function namesOf(name: string): string[] {
  const parts = words(name).split("-");
  return /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)
    ? parts.flatMap((_, start) => (WAYS.includes(parts[start - 1] ?? "") ? [] : [parts.slice(start).join("-")]))
    : [parts.join("-")];
}

/** `sendAnonymousUsage`, `send_anonymous_usage` and `SEND_ANONYMOUS_USAGE` are `send-anonymous-usage`. */
function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase();
}
