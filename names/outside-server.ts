import { isIP } from "node:net";
import { hostCidr } from "./cidr";

/** An HTTP server outside of the cluster, as its URL names it. */
export interface OutsideServer {
  /** DNS name in lower case, or an address as digits: IPv6 without brackets. */
  readonly host: string;
  /** Of an address; `undefined` for a name. */
  readonly family: 4 | 6 | undefined;
  readonly port: number;
  readonly tls: boolean;
  /** What its paths begin with, without a slash at the end: `/v1`, or nothing. */
  readonly path: string;
}

/** @returns undefined for what is no http:// or https:// URL. */
export function outsideServer(text: string): OutsideServer | undefined {
  if (!URL.canParse(text)) {
    return undefined;
  }
  // Whoever writes an address as one number or in hexadecimal is read by the same rules as browsers read it.
  const { protocol, hostname, port, pathname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") {
    return undefined;
  }
  const tls = protocol === "https:";
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const family = isIP(host);
  return {
    host,
    family: family === 4 || family === 6 ? family : undefined,
    port: port === "" ? (tls ? 443 : 80) : Number(port),
    tls,
    path: pathname.replace(/\/+$/, ""),
  };
}

/** The one address of a server that is named by it, as a network. */
export function addressNetwork({ host, family }: Pick<OutsideServer, "host" | "family">): string | undefined {
  return family && hostCidr(host);
}
