/** Generated `Pulumi.<node>.yaml`, and what rewriting must preserve. */
import { createHash } from "node:crypto";
import { parse, stringify } from "yaml";
import { commandInOwnFile } from "./commands";
import type { FleetFile } from "./fleet-file";
import { isMapping, type Values } from "./merge";
import { holdsSecure } from "./secure";

const MADE_BY = 'by "npm run fleet -- write"';
const MARK = new RegExp(`^# Generated from .+ ${MADE_BY}`, "m");
const DIGEST = /^# Values: sha256 ([0-9a-f]{64})$/m;

/** Pulumi's keys next to `config`: secrets encryption and ESC environments. */
export const SECRET_KEYS_OF_STACK = ["encryptionsalt", "secretsprovider", "encryptedkey"] as const;
const OF_PULUMI: readonly string[] = [...SECRET_KEYS_OF_STACK, "environment"];

/** A node's existing file. */
export interface OwnFile {
  /** Undefined: none. */
  readonly text: string | undefined;
  /** Pulumi's keys next to `config`. */
  readonly ofPulumi: Values;
  /** Encrypted values by full key. */
  readonly secrets: Values;
  /** Other values by full key. */
  readonly plain: Values;
  /** Generated, and plain values unchanged since. */
  readonly isUntouched: boolean;
}

export const NO_FILE: OwnFile = { text: undefined, ofPulumi: {}, secrets: {}, plain: {}, isUntouched: true };

export function isGenerated(text: string): boolean {
  return MARK.test(text);
}

/** Invalid YAML counts as changed. */
export function readOwnFile(text: string): OwnFile {
  let root: unknown;
  try {
    root = parse(text);
  } catch {
    return { ...NO_FILE, text, isUntouched: false };
  }
  const top = isMapping(root) ? root : {};
  const { secrets, plain } = partedBySecrets(isMapping(top.config) ? top.config : {});
  return {
    text,
    ofPulumi: only(top, (key) => OF_PULUMI.includes(key)),
    secrets,
    plain,
    isUntouched: isGenerated(text) && DIGEST.exec(text)?.[1] === digestOf(plain),
  };
}

/** Separates values with encrypted parts. */
export function partedBySecrets(config: Values): { readonly secrets: Values; readonly plain: Values } {
  return {
    secrets: only(config, (_, value) => holdsSecure(value)),
    plain: only(config, (_, value) => !holdsSecure(value)),
  };
}

/** Deterministic bytes. */
export function generatedText(
  { fileName, folder }: Pick<FleetFile, "fileName" | "folder">,
  node: string,
  root: Values,
): string {
  const { plain } = partedBySecrets(isMapping(root.config) ? root.config : {});
  const head = [
    `# Generated from ${fileName} ${MADE_BY}: change that file, and write again.`,
    `# Secrets alone belong here, and stay: ${commandInOwnFile("config set --secret <key>", node, folder)}`,
    `# Values: sha256 ${digestOf(plain)}`,
  ];
  // Pulumi's parser treats more words as non-text: quote what either would.
  const body = stringify(root, { schema: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false });
  return `${head.join("\n")}\n${body}`;
}

/** Independent of key order, which Pulumi may change. */
export function digestOf(values: Values): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(values)))
    .digest("hex");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return isMapping(value)
    ? Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => [key, sorted(item)])
    : value;
}

function only(values: Values, keep: (key: string, value: unknown) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => keep(key, value)));
}
