import { isIP } from "node:net";
import { hostCidr, isPrivateNetwork } from "./cidr";

/** External HTTP server from a URL. */
export interface OutsideServer {
  /** DNS name in lower case, or an IP address, IPv6 without brackets. */
  readonly host: string;
  /** Of an address; `undefined` for a name. */
  readonly family: 4 | 6 | undefined;
  readonly port: number;
  readonly tls: boolean;
  /** Path prefix without a trailing slash: `/v1`, or empty. */
  readonly path: string;
}

/** @returns undefined unless an http:// or https:// URL. */
export function outsideServer(text: string): OutsideServer | undefined {
  if (!URL.canParse(text)) {
    return undefined;
  }
  // Decimal and hexadecimal addresses are parsed as in browsers.
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

/** CIDR of a server's IP address. */
export function addressNetwork({ host, family }: Pick<OutsideServer, "host" | "family">): string | undefined {
  return family && hostCidr(host);
}

interface Named {
  readonly url: string;
  readonly networks?: readonly string[] | undefined;
}

/** The proxy by which a server is reached: none where that is in private networks. */
export function proxyFor<Proxy>({ url, networks }: Named, proxy: Proxy | undefined): Proxy | undefined {
  const server = outsideServer(url);
  const own = server && addressNetwork(server);
  const known = own === undefined ? networks : [own];
  return known?.every(isPrivateNetwork) ? undefined : proxy;
}
