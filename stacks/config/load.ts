import * as pulumi from "@pulumi/pulumi";
import { ConfigError, toProblem } from "./core/problems";
import { NAMESPACE } from "./core/schema";
import { misspeltNamespaces, ownKey } from "./namespace";
import { type EnvironmentConfig, environmentSchema, type SecretKey } from "./schema";
import { API_KEY_NAME, secretKeys } from "./secrets";
import { validateConfig } from "./validate";

/** Set ones only; placeholders in an offline plan. */
export interface EnvironmentSecrets extends Readonly<Partial<Record<SecretKey, pulumi.Output<string>>>> {
  /** Keys of external servers. @default none */
  readonly apiKeys?: ApiKeys;
}

/** Keys of external servers, by secret name. */
export type ApiKeys = Readonly<Record<string, pulumi.Output<string>>>;

export interface LoadedEnvironment {
  readonly environment: EnvironmentConfig;
  readonly secrets: EnvironmentSecrets;
}

/**
 * Environment of the running Pulumi program: the only reader of Pulumi config.
 *
 * @throws ConfigError with every problem.
 */
export function loadEnvironment(): LoadedEnvironment {
  const all = Object.entries(pulumi.runtime.allConfig());
  const ours = all.flatMap(([fullKey, text]) => {
    const key = ownKey(fullKey);
    return key === undefined ? [] : [[key, text] as const];
  });
  const validation = validateConfig({
    values: Object.fromEntries(ours.map(([key, text]) => [key, configValue(key, text)])),
    encrypted: new Set(ours.map(([key]) => key).filter((key) => isEncrypted(`${NAMESPACE}:${key}`))),
  });
  const misspelt = misspeltNamespaces(all.map(([key]) => key)).map((draft) => toProblem(draft));
  if (!validation.ok || misspelt.length > 0) {
    const problems = [...misspelt, ...(validation.ok ? [] : validation.problems)];
    throw new ConfigError(problems, `Pulumi.${pulumi.getStack()}.yaml`);
  }
  const config = new pulumi.Config(NAMESPACE);
  const secretsOf = (keys: readonly string[]) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const secret = config.getSecret(key);
        return secret ? [[key, secret] as const] : [];
      }),
    );
  const apiKeyNames = ours.map(([key]) => key).filter((key) => API_KEY_NAME.test(key));
  return {
    environment: validation.environment,
    secrets: { ...secretsOf(secretKeys), ...(apiKeyNames.length > 0 && { apiKeys: secretsOf(apiKeyNames) }) },
  };
}

/** Set secrets, for checks only: resources use `LoadedEnvironment.secrets`. */
export function secretTexts(): Readonly<Partial<Record<SecretKey, string>>> {
  const texts = Object.entries(pulumi.runtime.allConfig()).flatMap(([fullKey, text]) => {
    const key = secretKeys.find((each) => each === ownKey(fullKey));
    return key === undefined ? [] : [[key, text] as const];
  });
  return Object.fromEntries(texts) as Partial<Record<SecretKey, string>>;
}

/** Pulumi passes sections as JSON text. Other text stays, for the schema to judge. */
function configValue(key: string, text: string): unknown {
  const isSection = Object.hasOwn(environmentSchema.shape, key) && key !== "stage";
  if (!isSection) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The SDK knows encrypted keys, but its published types omit the query. */
function isEncrypted(fullKey: string): boolean {
  const ask: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof ask === "function" && ask(fullKey) === true;
}
