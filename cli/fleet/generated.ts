/** `Pulumi.<node>.yaml` as the fleet writes it, and what of one that is there must survive the next writing. */
import { createHash } from "node:crypto";
import { parse, stringify } from "yaml";
import { commandInOwnFile } from "./commands";
import type { FleetFile } from "./fleet-file";
import { isMapping, type Values } from "./merge";
import { holdsSecure } from "./secure";

const MADE_BY = 'by "npm run fleet -- write"';
const MARK = new RegExp(`^# Generated from .+ ${MADE_BY}`, "m");
const DIGEST = /^# Values: sha256 ([0-9a-f]{64})$/m;

/** What Pulumi writes beside `config`: by which key a stack's secrets are encrypted, and which environments of ESC it opens. */
export const SECRET_KEYS_OF_STACK = ["encryptionsalt", "secretsprovider", "encryptedkey"] as const;
const OF_PULUMI: readonly string[] = [...SECRET_KEYS_OF_STACK, "environment"];

/** A node's own file, as it was found. */
export interface OwnFile {
  /** Undefined: there is none yet. */
  readonly text: string | undefined;
  /** Its keys beside `config` that are Pulumi's. */
  readonly ofPulumi: Values;
  /** Encrypted values by full key. */
  readonly secrets: Values;
  /** All other values by full key. */
  readonly plain: Values;
  /** The fleet wrote it, and nobody changed its plain values since. */
  readonly isUntouched: boolean;
}

export const NO_FILE: OwnFile = { text: undefined, ofPulumi: {}, secrets: {}, plain: {}, isUntouched: true };

export function isGenerated(text: string): boolean {
  return MARK.test(text);
}

/** What a node's file says; one that cannot be read as YAML has been touched. */
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

/** Values with and without something encrypted in them. */
export function partedBySecrets(config: Values): { readonly secrets: Values; readonly plain: Values } {
  return {
    secrets: only(config, (_, value) => holdsSecure(value)),
    plain: only(config, (_, value) => !holdsSecure(value)),
  };
}

/** Text of a node's file. The same content gives the same bytes. */
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
  // Pulumi's reader takes more words for other things than text: what either would is quoted.
  const body = stringify(root, { schema: "yaml-1.1", lineWidth: 0, aliasDuplicateObjects: false });
  return `${head.join("\n")}\n${body}`;
}

/** Of values, whatever the order of keys: Pulumi may write them in another one. */
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
