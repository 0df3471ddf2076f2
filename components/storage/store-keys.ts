import type * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";

/** What a user of the store signs its requests with. */
export interface StoreKeys {
  /** The access key: the user's name at the server. */
  readonly accessKey: pulumi.Output<string>;
  readonly secretKey: pulumi.Output<string>;
}

/** Letters and digits: nothing to escape in a URL or an INI file. Twenty make some 119 bits. */
const LENGTH = { accessKey: 20, secretKey: 40 } as const;

/**
 * Keys of one user, made once. The name is as random as the secret: servers of the MinIO family have let writers in who
 * knew only the name of an access key (CVE-2026-40344, CVE-2026-41145), so the name must not be in a repository either.
 *
 * @param logicalName of the resource that makes each half.
 */
export function randomKeys(
  logicalName: Readonly<Record<keyof StoreKeys, string>>,
  opts: pulumi.CustomResourceOptions,
): StoreKeys {
  const secret = (half: keyof StoreKeys) =>
    new random.RandomPassword(logicalName[half], { length: LENGTH[half], special: false }, opts).result;
  return { accessKey: secret("accessKey"), secretKey: secret("secretKey") };
}
