import type { PendingValue } from "./pending-values";
import type { RemoteSecret } from "./remote-secrets";
import { toYaml } from "./yaml";

/** A value of the secret store, for people and for scripts that fill the store. */
export interface SecretEntry {
  readonly key: string;
  readonly property: string;
  /** What it is. */
  readonly value: string;
  /** Shell command that makes one; undefined when only its owner can. */
  readonly generate: string | undefined;
  /** `namespace/secret` of the Secrets that get it. */
  readonly usedBy: readonly string[];
}

export function secretEntry(environment: string, { key, property, value, usedBy }: RemoteSecret): SecretEntry {
  return { key, property, ...describe(environment, value), usedBy };
}

function describe(environment: string, value: PendingValue | undefined): Pick<SecretEntry, "value" | "generate"> {
  if (!value) {
    return {
      value: "made by the program out of other secrets: take it from the Secret of a deployment by Pulumi",
      generate: undefined,
    };
  }
  const { origin } = value;
  if (origin.kind === "config" && origin.absent !== undefined) {
    return { value: `**not set in the environment's file** (${origin.key}): ${origin.absent}`, generate: undefined };
  }
  if (origin.kind === "config") {
    return {
      value: `the secret ${origin.key} of the environment's file`,
      generate: `pulumi config get ${origin.key} -s ${environment}`,
    };
  }
  if (origin.kind === "deployment") {
    return { value: `what a deployment makes: ${origin.maker}`, generate: undefined };
  }
  const { length, special } = origin.inputs;
  if (origin.type === "random:index/randomPassword:RandomPassword" && typeof length === "number" && special === false) {
    return {
      value: `${length} random letters and digits`,
      generate: `openssl rand -base64 ${2 * length} | tr -dc A-Za-z0-9 | head -c ${length}`,
    };
  }
  return { value: `${origin.output} of ${origin.type} ${JSON.stringify(origin.inputs)}`, generate: undefined };
}

/** `secrets.yaml`: what the store must hold, for scripts. */
export function secretsYaml(environment: string, store: string, entries: readonly SecretEntry[]): string {
  const keys = [...new Set(entries.map((entry) => entry.key))];
  return toYaml({
    environment,
    secretStore: { kind: "ClusterSecretStore", name: store },
    secrets: keys.map((key) => ({
      key,
      properties: entries
        .filter((entry) => entry.key === key)
        .map(({ property, value, generate, usedBy }) => ({ name: property, value, generate, usedBy })),
    })),
  });
}

/** `SECRETS.md`: the same, for people. */
export function secretsPage(environment: string, store: string, entries: readonly SecretEntry[]): string {
  const rows = entries.map(
    ({ key, property, value, generate, usedBy }) =>
      `| \`${key}\` | \`${property}\` | ${value} | ${generate ? code(generate) : ""} | ${usedBy.join("<br>")} |`,
  );
  return `# Secrets of ${environment}

No secret value is in these files. [External Secrets](https://external-secrets.io) (API \`external-secrets.io/v1\`) builds each
Secret in the cluster from the ClusterSecretStore \`${store}\`. Before the first sync, put these values there: each key holds
a JSON object with these properties. \`secrets.yaml\` says the same for scripts.

| Key in the store | Property | Value | How to make one | Secrets that get it |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

/** Code in a cell of a Markdown table, where a bar would end the cell. */
function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
