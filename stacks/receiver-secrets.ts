import { type AlertReceiverKind, RECEIVER_SECRETS } from "../components/observability/alert-receivers";
import { receiversOf, withoutSecret } from "./addons/observability/receivers";
import type { EnvironmentConfig, LoadedEnvironment } from "./config";
import { ConfigError, toProblem } from "./config/core/problems";
import { NAMESPACE } from "./config/core/schema";
import { secretFields } from "./config/secrets";

/**
 * Unset secrets of declared receivers, by full key.
 *
 * @param fullKeys of the secrets that are set.
 */
export function absentSecretsOf(
  environment: Pick<EnvironmentConfig, "observability">,
  fullKeys: readonly string[],
): Readonly<Record<string, string>> {
  const keys = fullKeys.map((fullKey) => fullKey.slice(fullKey.indexOf(":") + 1));
  return Object.fromEntries(
    missingReceivers(environment, keys).map((kind) => {
      const key = RECEIVER_SECRETS[kind];
      return [`${NAMESPACE}:${key}`, secretFields[key].meta()?.description ?? key];
    }),
  );
}

function missingReceivers(
  { observability }: Pick<EnvironmentConfig, "observability">,
  keys: readonly string[],
): AlertReceiverKind[] {
  return withoutSecret(receiversOf(observability.alerts, keys), keys);
}

/**
 * In real deployments only: plans without secrets are useful too.
 *
 * @throws ConfigError when a declared receiver of alerts has no secret: it would be silently left
 * out.
 */
export function assertReceiversHaveSecrets({ environment, secrets }: LoadedEnvironment): void {
  const problems = missingReceivers(environment, Object.keys(secrets)).map((kind) =>
    toProblem({
      path: [RECEIVER_SECRETS[kind]],
      value: undefined,
      allowed: `a secret, with observability.alerts.${kind}: Alertmanager cannot reach the receiver without it`,
      fix: `run pulumi config set --secret ${NAMESPACE}:${RECEIVER_SECRETS[kind]}, or remove the receiver`,
    }),
  );
  if (problems.length > 0) {
    throw new ConfigError(problems);
  }
}
