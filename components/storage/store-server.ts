/** What holds the store's bucket, as its clients see it: MinIO in the cluster, or a server elsewhere. */
import type * as pulumi from "@pulumi/pulumi";
import type { End } from "../core/connections";
import type { ClusterNetworks } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import type { TrustedAuthority } from "./store-certificates";
import type { StoreKeys } from "./store-keys";
import { MODEL_STORE_HOST, modelStorePods } from "./store-layout";

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
