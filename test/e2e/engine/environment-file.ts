import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap } from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../names/repository-root";
import { formatProblems, type ParsedEnvironmentFile, parseEnvironmentFile } from "../../../stacks/config";
import type { EnvironmentName } from "../../stacks/run";

export type EnvironmentFile = Extract<ParsedEnvironmentFile, { ok: true }>;

/** `Pulumi.<name>.yaml`, with other values and secrets put in by full key. */
export function readEnvironment(name: EnvironmentName, config: ConfigMap = {}): EnvironmentFile {
  const file = parseEnvironment(environmentText(name), name);
  const values = Object.entries(config).map(([key, { value }]) => [key, value]);
  const secrets = Object.keys(config).filter((key) => config[key]?.secret);
  return {
    ...file,
    config: { ...file.config, ...Object.fromEntries(values) },
    secretKeys: [...file.secretKeys, ...secrets],
  };
}

/** The file's values as the Automation API takes them. */
export function configMap({ config, secretKeys }: EnvironmentFile): ConfigMap {
  const values = Object.entries(config).map(([key, value]) => [key, { value, secret: secretKeys.includes(key) }]);
  return Object.fromEntries(values);
}

/** The text of an environment's file in this repository. */
export function environmentText(name: EnvironmentName): string {
  return readFileSync(join(repositoryRoot(), fileName(name)), "utf8");
}

/** @throws Error that lists every problem of the text. */
export function parseEnvironment(text: string, name: EnvironmentName): EnvironmentFile {
  const file = parseEnvironmentFile(text);
  if (!file.ok) {
    throw new Error(formatProblems(file.problems, fileName(name)));
  }
  return file;
}

function fileName(name: EnvironmentName): string {
  return `Pulumi.${name}.yaml`;
}
