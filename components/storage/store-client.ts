import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { CA_FILE, type TrustedAuthority } from "./store-certificates";
import type { StoreKeys } from "./store-keys";
import type { StoreEndpoint } from "./store-server";

const KEYS_FOLDER = "/etc/model-store-keys";
const CREDENTIALS = "credentials";

/** What `mc` in the store's own image needs, in addition to the mount of the authority, as a user without an entry there. */
export function mcEnvironment(authority: TrustedAuthority | undefined) {
  return [
    { name: "MC_CONFIG_DIR", value: "/tmp/mc" },
    // Where mc would look for its home.
    { name: "HOME", value: "/tmp" },
    // mc is a Go program: it takes its trusted authorities from here.
    ...(authority ? [{ name: "SSL_CERT_FILE", value: CA_FILE }] : []),
  ];
}

/** What a container needs to talk to the store; the volumes belong to its pod. */
export interface StoreClient {
  /** The variables that AWS SDKs, the RunAI streamer and our Node scripts read. */
  readonly environment: readonly kubernetes.types.input.core.v1.EnvVar[];
  readonly volumes: readonly kubernetes.types.input.core.v1.Volume[];
  readonly mounts: readonly kubernetes.types.input.core.v1.VolumeMount[];
}

/** Content of a Secret with one user's keys: a credentials file of the AWS SDKs, with the profile `default`. */
export function credentialsSecret({ accessKey, secretKey }: StoreKeys): Record<string, pulumi.Output<string>> {
  return {
    [CREDENTIALS]: pulumi.interpolate`[default]\naws_access_key_id = ${accessKey}\naws_secret_access_key = ${secretKey}\n`,
  };
}

/**
 * Endpoint, keys and trust. The keys are a file, not variables: every child process inherits those, and crash reports
 * show them.
 *
 * @param keysSecret Secret of `credentialsSecret`.
 * @param authority of the store's certificate. Undefined: public ones
 */
export function storeClient(
  keysSecret: pulumi.Input<string>,
  { url, region }: StoreEndpoint,
  authority: TrustedAuthority | undefined,
): StoreClient {
  const keys = { name: "model-store-keys", mountPath: KEYS_FOLDER, readOnly: true };
  return {
    environment: [
      { name: "AWS_SHARED_CREDENTIALS_FILE", value: `${KEYS_FOLDER}/${CREDENTIALS}` },
      { name: "AWS_ENDPOINT_URL", value: url },
      { name: "AWS_DEFAULT_REGION", value: region },
      ...(authority
        ? [
            { name: "AWS_CA_BUNDLE", value: CA_FILE },
            { name: "NODE_EXTRA_CA_CERTS", value: CA_FILE },
          ]
        : []),
    ],
    volumes: [{ name: keys.name, secret: { secretName: keysSecret } }, ...(authority ? [authority.volume] : [])],
    mounts: [keys, ...(authority ? [authority.mount] : [])],
  };
}
