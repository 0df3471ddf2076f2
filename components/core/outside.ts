import { addressNetwork, type OutsideServer, outsideServer } from "../../names/outside-server";
import type { End } from "./connections";
import { type ClusterNetworks, internet, networksOf } from "./network";

/** A server outside of the cluster, as the configuration names it. */
export interface OutsideAddress {
  readonly url: string;
  /** Networks in CIDR form that the URL's name resolves to. @default nobody says */
  readonly networks?: readonly string[];
}

/** @throws Error for what is no URL: validation refuses it before. */
export function serverAt({ url }: OutsideAddress): OutsideServer {
  const server = outsideServer(url);
  if (server === undefined) {
    throw new Error(`"${url}" is no http:// or https:// URL`);
  }
  return server;
}

/**
 * Ends of connections to a server outside, as narrow as NetworkPolicies can say it: its one address, the networks that its
 * name is said to resolve to, or else, because policies know no names, whatever is no private network.
 */
export function outsideEnds(address: OutsideAddress, networks: Pick<ClusterNetworks, "privateCidrs">): End[] {
  const own = addressNetwork(serverAt(address));
  const declared = own === undefined ? address.networks : [own];
  return declared === undefined ? internet(networks) : networksOf(declared);
}
