import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "yaml";
import { repositoryRoot } from "../../names/repository-root";

/** Sections of an environment, keys without our namespace. */
export type Sections = Readonly<Record<string, unknown>>;

const NAMESPACE = "inference-stacks:";

/** An environment: its sections, or the text of its file. */
export type Content = Sections | string;

/** Text of a `Pulumi.<env>.yaml`. */
export function environmentText(content: Content): string {
  if (typeof content === "string") {
    return content;
  }
  const keys = Object.entries(content).map(([key, value]) => [`${NAMESPACE}${key}`, value]);
  return stringify({ config: Object.fromEntries(keys) });
}

/** Text of `Pulumi.<name>.yaml`. */
export function shippedText(name: string): string {
  return readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8");
}

/** Sections of `Pulumi.<name>.yaml`. */
export function shippedSections(name: string): Sections {
  return sectionsIn(parse(shippedText(name)).config);
}

/** The text with some of its sections replaced. */
export function changedText(name: string, changes: Sections): string {
  return environmentText({ ...shippedSections(name), ...changes });
}

/** Blocks of YAML on a page, those within lists too, without their indent. */
export function yamlBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```yaml\n(.*?)^\1```$/gms)].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** The fragments below `config:` that a page of docs suggests, in its order. */
export function suggestedSections(...page: string[]): Sections[] {
  const text = readFileSync(join(repositoryRoot(), "docs", ...page), "utf8");
  return yamlBlocks(text)
    .filter((block) => block.startsWith("inference-stacks:"))
    .map((block) => sectionsIn(parse(block)));
}

/**
 * Fragments of a page that can stand in one file, as one, so that fewer programs run: none writes another value where
 * another one does, and all together can be deployed.
 */
export async function together(
  fragments: readonly Sections[],
  canBeDeployed: (sections: Sections) => Promise<boolean>,
): Promise<Sections[]> {
  const groups: Sections[] = [];
  for (const fragment of fragments) {
    let [at, whole] = [groups.length, fragment];
    for (const [index, group] of groups.entries()) {
      const both = merged(group, fragment) as Sections;
      if (isDeepStrictEqual(both, merged(fragment, group)) && (await canBeDeployed(both))) {
        [at, whole] = [index, both];
        break;
      }
    }
    groups[at] = whole;
  }
  return groups;
}

/** `base` with what `change` writes, key by key, all the way down. */
export function merged(base: unknown, change: unknown): unknown {
  if (!isObject(base) || !isObject(change)) {
    return change ?? base;
  }
  const changed = Object.entries(change).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

function isObject(value: unknown): value is Sections {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sectionsIn(config: object): Sections {
  const ours = Object.entries(config).filter(([key]) => key.startsWith(NAMESPACE));
  return Object.fromEntries(ours.map(([key, value]) => [key.slice(NAMESPACE.length), value]));
}
