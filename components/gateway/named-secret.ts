import type * as pulumi from "@pulumi/pulumi";

/**
 * A secret by the name that a setting gives it.
 *
 * @param setting path of the section that names it.
 * @throws Error for a secret that is not set: validation refuses that before.
 */
export function namedSecret(
  secrets: Readonly<Record<string, pulumi.Output<string>>>,
  name: string,
  setting: string,
): pulumi.Output<string> {
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
  if (secret === undefined) {
    throw new Error(`${setting}: the secret ${name} is not set`);
  }
  return secret;
}
