/** A bucket elsewhere as the store. */
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { named } from "../core/known";
import { TRUST_SECRET, trustedAuthority } from "./store-certificates";
import type { StoreKeys } from "./store-keys";
import type { StoreRole } from "./store-roles";
import type { StoreBucket, StoreServer, StoreUserKeys } from "./store-server";

export interface BucketServerArgs {
  readonly bucket: StoreBucket;
  /** The configuration's secrets by name. */
  readonly secrets: Readonly<Record<string, pulumi.Input<string>>>;
  /** The store's namespace, where Jobs run. */
  readonly namespace: pulumi.Input<string>;
  readonly roles: Readonly<Record<string, StoreRole>>;
}

/** A bucket elsewhere. Its users are the provider's: engines share those of the reader. */
export function bucketServer(
  name: string,
  { bucket, secrets, namespace, roles }: BucketServerArgs,
  opts: pulumi.CustomResourceOptions,
): StoreServer {
  const { url, region, authorities, reader, writer } = bucket;
  const trustIn: StoreServer["trustIn"] = (logicalName, where, options) => {
    if (authorities === undefined) {
      return undefined;
    }
    const metadata = {
      name: TRUST_SECRET,
      namespace: where,
      labels: standardLabels("model-store-access", "model-store-trust"),
    };
    const map = new kubernetes.core.v1.ConfigMap(logicalName, { metadata, data: { "ca.crt": authorities } }, options);
    return trustedAuthority({ configMap: { name: named(map, TRUST_SECRET) } });
  };
  return {
    url: url.replace(/\/+$/, ""),
    region,
    ready: [],
    keysOf: (role) => keysOf(roles[role]?.writes ? writer : reader, role, secrets),
    authority: trustIn(`${name}-trust`, namespace, opts),
    trustIn,
  };
}

/** @throws Error for a secret that is not set. */
function keysOf(
  user: StoreUserKeys | undefined,
  role: string,
  secrets: Readonly<Record<string, pulumi.Input<string>>>,
): StoreKeys {
  const half = (key: keyof StoreUserKeys) => {
    const value = user && secrets[user[key]];
    if (value === undefined) {
      throw new Error(`${role}: the store's bucket has no ${key} for it; validation should have refused that`);
    }
    return pulumi.output(value);
  };
  return { accessKey: half("accessKey"), secretKey: half("secretKey") };
}
