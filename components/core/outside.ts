import { addressNetwork, type OutsideServer, outsideServer } from "../../names/outside-server";
import type { End } from "./connections";
import { type ClusterNetworks, internet, networksOf } from "./network";

export interface OutsideAddress {
  readonly url: string;
  /** CIDRs that the URL's name resolves to. @default unknown */
  readonly networks?: readonly string[];
}

/** @throws Error for an invalid URL; validation refuses it earlier. */
export function serverAt({ url }: OutsideAddress): OutsideServer {
  const server = outsideServer(url);
  if (server === undefined) {
    throw new Error(`"${url}" is no http:// or https:// URL`);
  }
  return server;
}

/**
 * Connection ends of an external server, as narrow as possible: its IP, the given networks, or all
 * public networks.
 */
export function outsideEnds(address: OutsideAddress, networks: Pick<ClusterNetworks, "privateCidrs">): End[] {
  const own = addressNetwork(serverAt(address));
  const declared = own === undefined ? address.networks : [own];
  return declared === undefined ? internet(networks) : networksOf(declared);
}
