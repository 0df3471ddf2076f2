import { askedOnce } from "./asked-once";
import { jsonObjectIn } from "./documents";
import { type Field, isObject, UNKNOWN } from "./field";
import { chartValues } from "./helm-values";
import { type Property, propertiesBelow } from "./properties";
import type { Resource } from "./resource";
import { withoutComments, withoutProse } from "./unread-text";

/** In any notation. */
export interface Setting {
  /** Lower-case words joined by `-`: several where a variable begins with the program's name. */
  readonly names: readonly string[];
  readonly path: string;
  /** Several where it is a list. */
  readonly values: readonly Field[];
  readonly at: Field;
}

/**
 * Properties, variables (`name`, `value`), command options, and lines or JSON of files.
 *
 * @param about matches names to look for; skipping others saves time.
 */
export function settings(resource: Resource, about: RegExp): Setting[] {
  return settingsBelow(resource.kind === undefined ? chartValues(resource) : resource.props, about);
}

function settingsBelow(holder: Field, about: RegExp, above: readonly string[] = []): Setting[] {
  const read = propertiesBelow(holder, above).filter(({ key }) => key !== "description");
  return read.flatMap(({ keys, field, holder: own }: Property) => [
    ...(isObject(field.value) || !isAbout(keys, about) ? [] : [property(keys, field)]),
    ...variable(keys, field, own, about),
    ...inText(keys, field, about),
  ]);
}

function isAbout(keys: readonly string[], about: RegExp): boolean {
  return keys.some((key) => about.test(key));
}

/** Without duplicates: one text may be parsed in several ways. */
export function placesOf(found: readonly Setting[]): Field[] {
  return [...new Map(found.map(({ at }) => [at.path, at])).values()];
}

/** Names that need their holder's name to mean something. */
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
function variable(keys: readonly string[], field: Field, holder: Field, about: RegExp): Setting[] {
  const name = keys.at(-1) === "value" ? holder.get("name").value : undefined;
  return typeof name === "string" && about.test(name) ? [setting([...keys.slice(0, -1), name], [field], field)] : [];
}

interface Word {
  /** Undefined where unknown. */
  readonly word: string | undefined;
  readonly at: Field;
}

function inText(keys: readonly string[], field: Field, about: RegExp): Setting[] {
  const items = Array.isArray(field.value) ? field.items() : [field];
  if (!items.some(({ value }) => typeof value === "string" && about.test(value))) {
    return [];
  }
  const found = items.flatMap((at): Word[] => {
    const { value } = at;
    return typeof value === "string"
      ? wordsIn(readBy(keys, value)).map((word) => ({ word, at }))
      : value === UNKNOWN
        ? [{ word: undefined, at }]
        : [];
  });
  const texts = items.flatMap((at) => (typeof at.value === "string" ? [{ text: at.value, at }] : []));
  return [
    ...options(keys, found, about),
    ...texts.flatMap(({ text, at }) => {
      const json = jsonObjectIn(at);
      return json === undefined ? lines(keys, readBy(keys, text), at, about) : settingsBelow(json, about, keys);
    }),
  ];
}

/** Key of a command line, which has no prose. */
const COMMAND_KEY = /(^|[a-z])(command|args)$/i;

function readBy(keys: readonly string[], text: string): string {
  return COMMAND_KEY.test(keys.at(-1) ?? "") ? code(text) : codeWithoutProse(text);
}

const code = askedOnce(withoutComments);
const codeWithoutProse = askedOnce((text) => withoutProse(code(text)));
const wordsIn = askedOnce((text): readonly string[] => text.split(/[\s"']+/).filter((word) => word !== ""));

/** `--name=value`, `--name value`, and `--name` for true; `set name value` of a command line. */
function options(keys: readonly string[], found: readonly Word[], about: RegExp): Setting[] {
  const isAsked = isAbout(keys, about);
  return found.flatMap(({ word = "", at }, index) => {
    if (!(isAsked || about.test(word))) {
      return [];
    }
    const { name: bare, value: state } = bareSwitch(word, found[index + 1]?.word);
    if (bare !== undefined) {
      return [setting([...keys, bare], [at.containing(state)], at)];
    }
    const isSet = /^set$/i.test(found[index - 1]?.word ?? "");
    const [, name, given] = (isSet ? /^-{0,2}([A-Za-z][\w.-]*)$/ : /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/).exec(word) ?? [];
    const next = found[index + 1];
    const isAlone = next === undefined || next.word?.startsWith("-") === true;
    const value = given ?? (isAlone ? "true" : next.word);
    return name === undefined
      ? []
      : [setting([...keys, name], [value === undefined && next !== undefined ? next.at : at.containing(value)], at)];
  });
}

/** `name-of-it no` in what a command writes to a file. */
function bareSwitch(word: string, next: string | undefined): { readonly name?: string; readonly value?: string } {
  const [, value] = /^(yes|no|true|false|on|off)(?=$|[\\;|>)&])/i.exec(next ?? "") ?? [];
  return value !== undefined && /^[a-z]+(-[a-z]+)+$/.test(word) ? { name: word, value } : {};
}

const MINIFIED: Readonly<Record<string, string>> = { "!0": "true", "!1": "false" };

/** Switches anywhere in a line: `{a: true}`, `a = false`, `?a=0`. */
const SWITCH =
  /(?<![\w.$])(?<!\w-)([A-Za-z][\w.-]{0,100})["']?\s{0,20}[=:]\s{0,20}["']?(true|false|yes|no|on|off|none|!?[01])\b/gi;

function lines(keys: readonly string[], text: string, at: Field, about: RegExp): Setting[] {
  const isAsked = isAbout(keys, about);
  return linesOf(text).flatMap((line) =>
    isAsked || isAbout(line.keys, about) ? [setting([...keys, ...line.keys], [at.containing(line.value)], at)] : [],
  );
}

interface Line {
  /** Of its section, if any, and its own. */
  readonly keys: readonly string[];
  readonly value: string;
}

/**
 * Lines of setting files: `[section]` or `section:`, and `name = value`, `name: value` or `name
 * value`.
 */
const linesOf = askedOnce((text): readonly Line[] => {
  let section: string | undefined;
  return text.split("\n").flatMap((line) => {
    section = /^\s*(?:\[([^\]]+)\]|([\w.-]+):)\s*$/.exec(line)?.slice(1).find(Boolean) ?? section;
    const [, name, value] =
      /^\s*(?:-\s+)?(?:export\s+)?["']?([A-Za-z][\w.-]*)["']?(?:\s*[=:]\s*|\s+)["']?([\w-]+)["']?[;,]?\s*(?:#.*)?$/.exec(
        line,
      ) ?? [];
    const whole = name === undefined || value === undefined ? [] : [[name, value] as const];
    const inline =
      whole.length > 0
        ? []
        : [...line.matchAll(SWITCH)].map(([, key = "", state = ""]) => [key, MINIFIED[state] ?? state] as const);
    return [...whole, ...inline].map(([key, held]) => ({
      keys: [...(section === undefined ? [] : [section]), key],
      value: held,
    }));
  });
});

/** Authentication methods: a variable that ends in one and `AUTH` concerns this method only. */
const WAYS = ["basic", "client", "digest", "http", "jwt", "key", "ldap", "oidc", "proxy", "saml", "tls", "token"];

/** Longer names are read by their end. */
const LONGEST_NAME = 200;

/** Variables (`WEBUI_AUTH`) begin with a program's name, of any number of words. */
const namesOf = askedOnce((name): readonly string[] => {
  const parts = words(name.slice(-LONGEST_NAME)).split("-");
  return /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(name)
    ? parts.flatMap((_, start) => (WAYS.includes(parts[start - 1] ?? "") ? [] : [parts.slice(start).join("-")]))
    : [parts.join("-")];
});

/** `sendAnonymousUsage`, `send_anonymous_usage` and `SEND_ANONYMOUS_USAGE` are `send-anonymous-usage`. */
function words(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replace(/(?<=[A-Z]{2})(?=[A-Z][a-z])/g, "-")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase();
}
