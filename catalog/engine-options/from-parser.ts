/**
 * Builds option catalogues from records of engine parsers: `npx tsx
 * catalog/engine-options/from-parser.ts`. For a new version add a record; for a new engine also
 * `<engine>.json` with `engine` and `record`.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../names/repository-root";
import type { EngineArgument, EngineOptions, EngineVariable } from "../engine-options";

/** What the engine's parser says of one flag, in its own words. */
interface ParserFlag {
  readonly name: string;
  readonly type: string;
  readonly positional?: boolean;
  readonly nargs?: string;
  readonly negation?: string;
  readonly aliases?: readonly string[];
  readonly choices?: readonly (string | number | null)[];
  /** Other values than the choices are taken too: names of plugins. */
  readonly openEnded?: boolean;
}

interface EngineRecord {
  readonly version: string;
  readonly asOf: string;
  readonly source: string;
  readonly flags?: readonly ParserFlag[];
  readonly env: readonly { readonly name: string; readonly type: string | null }[];
}

/** @param file of the record. */
export function optionsFromParser(engine: string, file: string, record: EngineRecord): EngineOptions {
  return {
    about: "Made from test/fixtures/upstream by catalog/engine-options/from-parser.ts. Do not edit.",
    record: file,
    engine,
    version: record.version.replace(/^v/, ""),
    source: record.source,
    asOf: record.asOf,
    arguments: (record.flags ?? []).filter(({ positional }) => !positional).map(argument),
    environment: record.env.map(({ name, type }) => variable(name, type ?? "str")),
  };
}

function argument(flag: ParserFlag): EngineArgument {
  const choices = (flag.choices ?? []).flatMap((choice) => (choice === null ? [] : [String(choice)]));
  const kind = kindOf(flag);
  return {
    name: bare(flag.name),
    kind,
    ...(flag.type === "bool" && { assigned: true }),
    ...(flag.negation && { negation: bare(flag.negation) }),
    ...(flag.aliases && { aliases: flag.aliases.map(bare) }),
    ...(kind === "integer" && flag.type.startsWith("int-with-suffix") && { suffix: true }),
    ...(choices.length > 0 && { choices }),
    ...((flag.openEnded || flag.type === "json-or-string") && { open: true }),
  };
}

function kindOf({ type, nargs }: ParserFlag): EngineArgument["kind"] {
  if (type === "bool-flag" || type === "bool") {
    return "switch";
  }
  if (nargs === "+") {
    return "list";
  }
  if (/^int\b/.test(type) || type === "OptimizationLevel") {
    return "integer";
  }
  if (/^float\b/.test(type)) {
    return "number";
  }
  if (/^'?(json|dict|list)\b|(Config|ConfigArgs)\b/.test(type)) {
    return "json";
  }
  return "text";
}

function variable(name: string, type: string): EngineVariable {
  const choices = [...(/^Literal\[(.*?)\]/.exec(type)?.[1] ?? "").matchAll(/'([^']*)'/g)].map(
    ([, choice = ""]) => choice,
  );
  if (choices.length > 0) {
    return { name, kind: "text", choices };
  }
  if (/^bool\b(?! or)/.test(type)) {
    return { name, kind: "switch" };
  }
  if (/^u?int(64)?\b/.test(type)) {
    return { name, kind: "integer" };
  }
  if (/^float\b/.test(type)) {
    return { name, kind: "number" };
  }
  return { name, kind: "text" };
}

function bare(flag: string): string {
  return flag.replace(/^-+/, "");
}

const FOLDER = join(repositoryRoot(), "catalog/engine-options");

/** Files of options, as the folder holds them; each has one of rules next to it. */
export function optionFiles(): string[] {
  return readdirSync(FOLDER).filter(
    (file) => /^[a-z0-9]+(-[a-z0-9]+)*\.json$/.test(file) && !file.endsWith("-rules.json"),
  );
}

/** One row to a line, as the catalogue's other tables. */
function optionsText({ arguments: args, environment, ...head }: EngineOptions): string {
  const rows = (entries: readonly object[]) =>
    entries.length === 0 ? "[]" : `[\n${entries.map((entry) => `  ${JSON.stringify(entry)}`).join(",\n")}\n ]`;
  const fields = Object.entries(head).map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  return `{\n${fields.join(",\n")},\n "arguments": ${rows(args)},\n "environment": ${rows(environment)}\n}\n`;
}

/** What a file of options must hold. */
export function optionsFile(file: string): string {
  const { engine, record }: Pick<EngineOptions, "engine" | "record"> = JSON.parse(
    readFileSync(join(FOLDER, file), "utf8"),
  );
  return optionsText(
    optionsFromParser(engine, record, JSON.parse(readFileSync(join(repositoryRoot(), record), "utf8"))),
  );
}

if (require.main === module) {
  for (const file of optionFiles()) {
    writeFileSync(join(FOLDER, file), optionsFile(file));
  }
}
