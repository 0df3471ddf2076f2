import type { ParsedEnvironmentFile } from "../stacks/config";
import { absentSecretsOf } from "../stacks/receiver-secrets";

/** What the secrets are that a file's receivers of alerts need and that it does not have, by their full keys. */
export function absentSecrets(file: ParsedEnvironmentFile): Readonly<Record<string, string>> {
  return file.ok ? absentSecretsOf(file.environment, file.secretKeys) : {};
}
