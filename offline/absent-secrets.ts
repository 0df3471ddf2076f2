import type { ParsedEnvironmentFile } from "../stacks/config";
import { absentSecretsOf } from "../stacks/receiver-secrets";

/** Missing secrets of a file's alert receivers, by full key. */
export function absentSecrets(file: ParsedEnvironmentFile): Readonly<Record<string, string>> {
  return file.ok ? absentSecretsOf(file.environment, file.secretKeys) : {};
}
