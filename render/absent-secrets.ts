import { RECEIVER_SECRETS } from "../components/observability/alert-receivers";
import type { ParsedEnvironmentFile } from "../stacks/config";
import { NAMESPACE } from "../stacks/config/core/schema";
import { secretFields } from "../stacks/config/secrets";
import { missingReceivers } from "../stacks/receiver-secrets";

/** What the secrets are that a file's receivers of alerts need and that it does not have, by their full keys. */
export function absentSecrets(file: ParsedEnvironmentFile): Readonly<Record<string, string>> {
  if (!file.ok) {
    return {};
  }
  const keys = file.secretKeys.map((fullKey) => fullKey.slice(fullKey.indexOf(":") + 1));
  return Object.fromEntries(
    missingReceivers(file.environment, keys).map((kind) => {
      const key = RECEIVER_SECRETS[kind];
      return [`${NAMESPACE}:${key}`, secretFields[key].meta()?.description ?? key];
    }),
  );
}
