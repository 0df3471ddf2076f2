/** Variables of `.env` and env_file, next to a compose file. */
import { realpathSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readTextFile, UnreadableFileError } from "../../stacks/config/text-file";
import { substituted, variablesIn } from "./command-line";
import { isMapping } from "./path";
import { plainText } from "./plain-text";
import type { SourceDocument } from "./read-documents";
import { holdsSecret, isSecretName } from "./secrets";

type Values = Readonly<Record<string, string>>;

const MOST_BYTES = 64 * 1024;

/** Compose fills in `${NAME}` from it. */
export const DOT_ENV = ".env";

/** Files read, and names that the document uses. */
export interface EnvFiles {
  readonly read: readonly string[];
  readonly used: ReadonlySet<string>;
}

/**
 * Fills in references and adds files' variables under `environment`. Secrets stay references.
 * @param folder of the file; files outside of it are not read.
 */
export function withEnvFiles(document: SourceDocument, folder: string): SourceDocument {
  const { root } = document;
  if (!isMapping(root.services)) {
    return document;
  }
  const read: string[] = [];
  const valuesOf = (name: string): Values => {
    const text = textIn(folder, name);
    if (text === undefined) {
      return {};
    }
    read.push(normalize(name));
    return valuesIn(text);
  };
  const values = valuesOf(DOT_ENV);
  const used = new Set<string>();
  const filled = filledIn(root, values, used);
  const services = isMapping(filled) && isMapping(filled.services) ? filled.services : {};
  const complete = Object.entries(services).map(([name, service]) => [
    name,
    isMapping(service)
      ? withVariables(service, Object.assign({}, ...envFileNames(service.env_file).map(valuesOf)))
      : service,
  ]);
  return {
    ...document,
    root: { ...(filled as SourceDocument["root"]), services: Object.fromEntries(complete) },
    envFiles: { read, used },
  };
}

/** One, a list, or mappings with a path. */
export function envFileNames(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((each) => {
    const path = isMapping(each) ? each.path : each;
    return typeof path === "string" ? [path] : [];
  });
}

/** Undefined if missing, or a link out of the folder. */
function textIn(folder: string, name: string): string | undefined {
  try {
    const home = realpathSync(folder);
    const path = realpathSync(join(home, name));
    const isInside = dirname(path) === home || path.startsWith(`${home}/`);
    return isInside && !name.startsWith("/") ? readTextFile(path, MOST_BYTES) : undefined;
  } catch (error) {
    if (error instanceof UnreadableFileError || (error as NodeJS.ErrnoException).code !== undefined) {
      return undefined;
    }
    throw error;
  }
}

/** Quotes and comments as in Compose. */
function valuesIn(text: string): Values {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const [, name, rest = ""] = /^(?:export )?\s*([A-Za-z_]\w*)\s*=(.*)$/.exec(line.trim()) ?? [];
    const [, double, single] = /^"((?:\\.|[^"\\])*)"|^'([^']*)'/.exec(rest.trim()) ?? [];
    return name === undefined ? [] : [[name, double ?? single ?? rest.split(/\s#/)[0]?.trim() ?? ""] as const];
  });
  return Object.fromEntries(lines);
}

function filledIn(value: unknown, values: Values, used: Set<string>): unknown {
  if (typeof value === "string" && value.includes("$")) {
    variablesIn(value)
      .filter((name) => Object.hasOwn(values, name))
      .forEach((name) => void used.add(name));
    const isSecret = (name: string) => isSecretName(name) || holdsSecret(values[name] ?? "");
    return value
      .split("$$")
      .map((text) => substituted(text, values, isSecret))
      .join("$$");
  }
  if (Array.isArray(value)) {
    return value.map((each) => filledIn(each, values, used));
  }
  return isMapping(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledIn(each, values, used)]))
    : value;
}

/** The file's own variables take precedence. */
function withVariables(service: Readonly<Record<string, unknown>>, values: Values): Readonly<Record<string, unknown>> {
  const { environment } = service;
  const shown = Object.entries(values).map(
    ([name, value]) => [name, isSecretName(name) || holdsSecret(value) ? undefined : value] as const,
  );
  if (shown.length === 0) {
    return service;
  }
  if (Array.isArray(environment)) {
    const stated = new Set((environment as unknown[]).map((each) => plainText(each).split("=")[0]));
    const added = shown.flatMap(([name, value]) =>
      stated.has(name) ? [] : [value === undefined ? name : `${name}=${value}`],
    );
    return { ...service, environment: [...(environment as unknown[]), ...added] };
  }
  const added = Object.fromEntries(shown.map(([name, value]) => [name, value ?? null]));
  return { ...service, environment: { ...added, ...(isMapping(environment) ? environment : {}) } };
}
