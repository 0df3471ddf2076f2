/** How Jobs of the model store reach what they copy: the configuration's servers, with the certificates that its files hold. */
import type { HubAccess } from "../components/storage/hub-access";
import type { StoreBucket } from "../components/storage/store-server";
import { sourceAuthorities } from "./config/authorities";
import type { CoreConfig } from "./config/core/schema";
import { bucketBackend } from "./config/store-backend";

/**
 * The bucket that is the store.
 *
 * @param authorities as below.
 */
export function storeElsewhere(
  storage: Pick<CoreConfig["storage"], "backend" | "buckets">,
  authorities: Readonly<Record<string, string>> = {},
): StoreBucket | undefined {
  const backend = bucketBackend(storage);
  const settings = backend && storage.buckets[backend.bucket];
  if (backend === undefined || settings === undefined) {
    return undefined;
  }
  const { url, region, networks } = settings;
  const text = authorities[sourceAuthorities("buckets", backend.bucket)];
  return { ...backend, url, region, ...(networks && { networks }), ...(text !== undefined && { authorities: text }) };
}

/** @param authorities PEM, by the names of `sourceAuthorities`. */
export function storageAccess(
  { hub, proxy, buckets, registries }: CoreConfig["storage"],
  authorities: Readonly<Record<string, string>> = {},
): HubAccess {
  const trusted = <Server extends object>(kind: "buckets" | "registries", servers: Readonly<Record<string, Server>>) =>
    Object.fromEntries(
      Object.entries(servers).map(([name, server]) => {
        const text = authorities[sourceAuthorities(kind, name)];
        return [name, { ...server, ...(text !== undefined && { authorities: text }) }];
      }),
    );
  return {
    ...(hub && { hub }),
    ...(proxy && { proxy }),
    buckets: trusted("buckets", buckets),
    registries: trusted("registries", registries),
  };
}
