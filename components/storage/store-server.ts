/** What holds the store's bucket, as its clients see it: MinIO in the cluster, or a server elsewhere. */
import * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import type { End } from "../core/connections";
import { named } from "../core/known";
import type { ClusterNetworks } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { TRUST_SECRET, type TrustedAuthority, trustedAuthority } from "./store-certificates";
import type { StoreKeys } from "./store-keys";
import { MODEL_STORE_HOST, modelStorePods } from "./store-layout";
import type { StoreRole } from "./store-roles";

/** Where clients connect to, and how they sign requests. */
export interface StoreEndpoint {
  readonly url: string;
  readonly region: string;
}

export interface StoreServer extends StoreEndpoint {
  /** Keys of a role of `store-layout.ts`. */
  keysOf(role: string): StoreKeys;
  /** What must be done before they open anything. */
  readonly ready: readonly pulumi.Resource[];
  /** Of pods in the store's namespace. @default public authorities */
  readonly authority: TrustedAuthority | undefined;
  /** Puts the authority into another namespace. @default public authorities */
  trustIn(
    logicalName: string,
    namespace: pulumi.Input<string>,
    opts: pulumi.CustomResourceOptions,
  ): TrustedAuthority | undefined;
}

/** A bucket of `storage.buckets` that is the store. */
export interface StoreBucket extends OutsideAddress {
  readonly bucket: string;
  readonly region: string;
  /** PEM. @default public authorities */
  readonly authorities?: string;
  readonly reader: StoreUserKeys;
  /** @default the store is only read */
  readonly writer?: StoreUserKeys | undefined;
}

/** Names of secrets of the configuration. */
export interface StoreUserKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

export const CLUSTER_ENDPOINT: StoreEndpoint = {
  url: `https://${MODEL_STORE_HOST}:${modelStorePods.port}`,
  region: "us-east-1",
};

/** The store in NetworkPolicies. @param bucket default: MinIO in the cluster */
export function storeEnds(
  bucket: StoreBucket | undefined,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): { readonly to: End | readonly End[]; readonly port: number } {
  return bucket === undefined
    ? { to: modelStorePods, port: modelStorePods.port }
    : { to: outsideEnds(bucket, networks), port: serverAt(bucket).port };
}

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
