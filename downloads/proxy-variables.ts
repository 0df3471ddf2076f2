/** HTTPS_PROXY, HTTP_PROXY and NO_PROXY with Go's rules (golang.org/x/net/http/httpproxy). Pure. */
import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { basicAuthorization } from "./basic-authorization";

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Unusable proxy variable; the message has its name and the fix. */
export class ProxyVariableError extends Error {}

/**
 * Proxy of HTTPS_PROXY or HTTP_PROXY for a URL; none for loopback, and for NO_PROXY's entries.
 *
 * @throws ProxyVariableError unless an http:// or https:// URL.
 */
export function proxyOf(url: URL, env: Variables): URL | undefined {
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const name = [variable, variable.toLowerCase()].find((each) => env[each]);
  if (name === undefined || isLoopback(hostOf(url)) || isExcepted(url, env.NO_PROXY || env.no_proxy || "")) {
    return undefined;
  }
  const proxy = parsed(name, env[name] ?? "");
  if (!["http:", "https:"].includes(proxy.protocol)) {
    throw new ProxyVariableError(
      `${name} is a ${proxy.protocol}// proxy, and downloads use http:// and https:// proxies only: ` +
        `unset it for this command, or name ${hostOf(url)} in NO_PROXY`,
    );
  }
  return proxy;
}

function parsed(name: string, value: string): URL {
  const address = value.includes("://") ? value : `http://${value}`;
  try {
    const proxy = new URL(address);
    // A password with a bare "%" is valid in a URL, but cannot be decoded.
    basicAuthorization(proxy);
    return proxy;
  } catch {
    const shown = address.replace(/\/\/.*@/s, "//***@");
    throw new ProxyVariableError(
      `${name} is no URL of a proxy: ${shown}; write http://<host>:<port>, and special characters of a password as %xx`,
    );
  }
}

/** Host of a URL, IPv6 without brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || contains("127.0.0.0", 8, host) || contains("::1", 128, host);
}

interface Target {
  readonly host: string;
  readonly port: string;
}

function isExcepted(url: URL, noProxy: string): boolean {
  const target = { host: hostOf(url), port: url.port || (url.protocol === "https:" ? "443" : "80") };
  return noProxy.split(",").some((entry) => matches(entry.trim(), target));
}

/**
 * "*", an IP address, a CIDR ("10.0.0.0/8"), a name with its subdomains, or only these
 * (".example.com", "*.example.com"). All except "*" and CIDRs may have a port.
 */
function matches(entry: string, { host, port }: Target): boolean {
  if (entry === "*") {
    return true;
  }
  const [, network, bits] = /^(.+)\/(\d+)$/.exec(entry) ?? [];
  if (network !== undefined) {
    return contains(network, Number(bits), host);
  }
  const [, name = "", only] = isIP(entry) ? [entry, entry] : (/^\[?(.*?)\]?(?::(\d*))?$/.exec(entry) ?? []);
  if (only && only !== port) {
    return false;
  }
  return isIP(name) ? contains(name, isIP(name) === 6 ? 128 : 32, host) : isBelow(name, host);
}

/** Whether a network contains an address; false if either is invalid. */
function contains(network: string, bits: number, host: string): boolean {
  if (!isIP(network) || !isIP(host) || bits > (isIP(network) === 6 ? 128 : 32)) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(network, bits, familyOf(network));
  return list.check(host, familyOf(host));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function isBelow(entry: string, host: string): boolean {
  const [, dot, name = ""] = /^(\*?\.)?(.*)$/.exec(entry) ?? [];
  const ascii = domainToASCII(name);
  return ascii !== "" && !isIP(host) && (host.endsWith(`.${ascii}`) || (dot === undefined && host === ascii));
}
