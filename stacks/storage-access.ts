/** How Jobs of the model store reach what they copy: the configuration's servers, with the certificates that its files hold. */
import type { HubAccess } from "../components/storage/hub-access";
import type { CoreConfig } from "./config/core/schema";
import { sourceAuthorities } from "./config/core/store-backend";

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
