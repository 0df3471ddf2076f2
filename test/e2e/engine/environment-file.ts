import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap } from "@pulumi/pulumi/automation";
import { repositoryRoot } from "../../../names/repository-root";
import { formatProblems, type ParsedEnvironmentFile, parseEnvironmentFile } from "../../../stacks/config";
import { absentSecretsOf } from "../../../stacks/receiver-secrets";
import { RECEIVER_VALUES } from "../../components/observability/receivers";
import type { EnvironmentName } from "../../stacks/run";

export type EnvironmentFile = Extract<ParsedEnvironmentFile, { ok: true }>;

/**
 * `Pulumi.<name>.yaml`, with other values and secrets put in by full key, and the secrets of its receivers of alerts, without
 * which `pulumi up` is refused.
 */
export function readEnvironment(name: EnvironmentName, config: ConfigMap = {}): EnvironmentFile {
  const file = parseEnvironment(environmentText(name), name);
  const values = Object.entries(config).map(([key, { value }]) => [key, value]);
  const ownSecrets = [...file.secretKeys, ...Object.keys(config).filter((key) => config[key]?.secret)];
  const ownConfig: EnvironmentFile["config"] = { ...file.config, ...Object.fromEntries(values) };
  const receivers = receiverSecrets(ownConfig, ownSecrets);
  return {
    ...file,
    config: { ...ownConfig, ...receivers },
    secretKeys: [...ownSecrets, ...Object.keys(receivers)],
  };
}

/** @returns values by full key. */
function receiverSecrets(config: EnvironmentFile["config"], secretKeys: readonly string[]): Record<string, string> {
  const observability = JSON.parse(config["inference-stacks:observability"] ?? "{}");
  const absent = absentSecretsOf({ observability }, secretKeys);
  const values = new Map<string, string>(Object.entries(RECEIVER_VALUES));
  return Object.fromEntries(Object.keys(absent).map((key) => [key, values.get(key.slice(key.indexOf(":") + 1)) ?? ""]));
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
