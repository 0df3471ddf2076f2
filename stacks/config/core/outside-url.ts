/** Which servers outside of the cluster the platform may call: rules for URLs, wherever they are. */
import { isIP } from "node:net";
import { contains, hostCidr, isMappedIpv4, parseCidr } from "../../../names/cidr";
import { METADATA_SERVICES, OLDER_METADATA_SERVICES } from "../../../names/metadata-services";
import { PLATFORM_NAMESPACES } from "../../../names/namespaces";
import { addressNetwork, type OutsideServer, outsideServer } from "../../../names/outside-server";
import { isPrivateName } from "../../../names/private-name";
import { isWorldOpen } from "../../../names/world-open";
import type { Stage } from "../../../planner/types";
import { HIDDEN, type Path, type ProblemDraft } from "./problems";

export interface OutsideSettings {
  readonly url: string;
  readonly networks?: readonly string[] | undefined;
}

type Fault = Pick<ProblemDraft, "allowed" | "fix">;

const HIDES_IPV4 = "it hides an IPv4 address";

/** Addresses that are no external server, with reasons. */
const FORBIDDEN: readonly (readonly [reason: string, cidrs: readonly string[]])[] = [
  ["a pod's loopback is the pod itself, not your machine", ["127.0.0.0/8", "::1/128"]],
  ["link-local addresses are those of metadata services, which hand out the cloud's credentials", METADATA_SERVICES],
  ["it is a metadata service, which hands out the cloud's credentials", OLDER_METADATA_SERVICES],
  ["link-local addresses lead nowhere from a pod", ["fe80::/10"]],
  ["it is the address of no machine", ["0.0.0.0/8", "::/128", "224.0.0.0/4", "240.0.0.0/4", "ff00::/8"]],
  [HIDES_IPV4, ["64:ff9b::/96"]],
];

/** Names that are no external server. */
const FORBIDDEN_NAMES: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ["a pod's loopback is the pod itself, not your machine", /(^|\.)localhost$/],
  ["metadata services hand out the cloud's credentials", /^(metadata|instance-data)(\.|$)/],
  ["it is a name inside of the cluster", /\.(svc|svc\..+|cluster\.local)$/],
  // A pod's DNS search list resolves a name and namespace to a Service.
  ["it is a name inside of the cluster", new RegExp(`^[^.]+\\.(${PLATFORM_NAMESPACES.join("|")}|model-[^.]+)$`)],
];

const DNS_NAME = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Problems of a server's URL or networks. */
export function* outsideProblems(
  path: Path,
  { url, networks = [] }: OutsideSettings,
  stage: Stage | undefined,
): Generator<ProblemDraft> {
  const server = outsideServer(url);
  const fault = server === undefined ? NO_URL : urlFault(url, server, stage);
  if (fault !== undefined) {
    yield { path: [...path, "url"], value: fault === CREDENTIALS || fault === NAME ? HIDDEN : url, ...fault };
  }
  if (networks.length > 0 && server?.family !== undefined) {
    // With a URL that needs a name, the networks are that name's.
    if (fault === undefined) {
      const fix = "remove networks";
      yield {
        path: [...path, "networks"],
        value: networks,
        allowed: "only with a name: an address says it itself",
        fix,
      };
    }
    return;
  }
  yield* networkProblems(path, networks);
  if (server !== undefined && fault === undefined && networks.length === 0) {
    yield* privateNameProblems(path, server);
  }
}

/**
 * A private name without networks: NetworkPolicies hold addresses, and by default no private one.
 *
 * @param path of the section that lacks them.
 */
export function* privateNameProblems(
  path: Path,
  { host, port }: Pick<OutsideServer, "host" | "port">,
): Generator<ProblemDraft> {
  if (isPrivateName(host)) {
    yield {
      path: [...path, "networks"],
      value: undefined,
      allowed: `the networks of ${host}, a name of a private network: without them NetworkPolicies allow every public address at port ${port}, and not this server`,
      fix: NETWORKS_FIX,
    };
  }
}

/** Fix where a name's networks are missing. */
export const NETWORKS_FIX = 'add the addresses that the name resolves to, for example networks: ["10.20.0.8/32"]';

/**
 * What is wrong with the server that an agent takes orders from: as for any server, and its URL is https:// in every stage.
 *
 * @param why it must be TLS.
 */
export function* tlsServerProblems(path: Path, server: OutsideSettings, why: string): Generator<ProblemDraft> {
  // That it must be TLS is said below, whatever the stage.
  const problems = [...outsideProblems(path, server, "development")];
  yield* problems;
  // One problem per URL.
  if (!server.url.startsWith("https://") && !problems.some((problem) => problem.path.at(-1) === "url")) {
    yield {
      path: [...path, "url"],
      value: server.url,
      allowed: `https:// with a DNS name: ${why}`,
      fix: "write the server's https:// address",
    };
  }
}

/**
 * What is wrong with the networks that a server outside of the cluster is said to be in.
 *
 * @param isRequired where nothing works without them. @default they may be removed
 */
export function* networkProblems(path: Path, networks: readonly string[], isRequired = false): Generator<ProblemDraft> {
  const ownAddresses = `write the server's own addresses, for example 192.168.1.20/32${isRequired ? "" : ", or remove networks"}`;
  const faults = networks.map(networkFault);
  for (const [index, cidr] of networks.entries()) {
    const reason = faults[index];
    if (reason !== undefined) {
      yield {
        path: [...path, "networks", index],
        value: cidr,
        allowed: `a network in CIDR form of the server's addresses: ${reason}`,
        fix: networkFix(cidr, ownAddresses),
      };
    }
  }
  if (faults.every((reason) => reason === undefined) && isWorldOpen(...networks)) {
    yield {
      path: [...path, "networks"],
      value: networks,
      allowed: "networks of the server's addresses: these are more than 16 million of the internet's together",
      fix: ownAddresses,
    };
  }
}

const NO_URL: Fault = { allowed: "an http:// or https:// URL", fix: "write for example https://api.example.com/v1" };

const CREDENTIALS: Fault = {
  allowed: "a URL without a name or password: this file is committed, and its values are rendered",
  fix: "take them out, and treat the password as leaked",
};

const NAME: Fault = { ...CREDENTIALS, fix: "take the name out, and treat it as leaked if it is a token" };

function urlFault(url: string, server: OutsideServer, stage: Stage | undefined): Fault | undefined {
  const { username, password, search, hash } = new URL(url);
  if (username !== "" || password !== "") {
    return password === "" ? NAME : CREDENTIALS;
  }
  if (search !== "" || hash !== "") {
    return { allowed: "a URL without ? and #: paths are added to it", fix: "remove what follows its path" };
  }
  if (server.port === 0) {
    return { allowed: "a port from 1 to 65535", fix: "name the port that the server listens on" };
  }
  const reason = server.family === undefined ? nameFault(server.host) : addressFault(server);
  if (reason !== undefined) {
    return {
      allowed: `the URL of a server outside of the cluster: ${reason}`,
      fix: "name it as other machines of its network reach it",
    };
  }
  if (server.tls && server.family !== undefined) {
    return {
      allowed: "https:// with a DNS name: that is what the certificate is checked against",
      fix: "give the server a name, and write that",
    };
  }
  if (!server.tls && stage === "production") {
    return {
      allowed: "https:// in production: prompts, answers and keys would cross the network in the clear",
      fix: "write https://, with a proxy that ends TLS before a server that does not; or stage: development for a trial",
    };
  }
  return undefined;
}

function forbiddenName(host: string): string | undefined {
  return FORBIDDEN_NAMES.find(([, pattern]) => pattern.test(host))?.[0];
}

function nameFault(host: string): string | undefined {
  return forbiddenName(host) ?? (DNS_NAME.test(host) ? undefined : "its host is a DNS name with a dot, or an address");
}

function addressFault(server: OutsideServer): string | undefined {
  return networkFault(addressNetwork(server) ?? "");
}

/** Name or address, with or without a port. */
export function isOutsideHost(host: string): boolean {
  const server = outsideServer(`https://${host}`);
  return (
    server !== undefined &&
    (server.family === undefined ? forbiddenName(server.host) : addressFault(server)) === undefined
  );
}

/** Whether text for a network is a DNS name. */
export function isName(text: string): boolean {
  return parseCidr(text) === undefined && DNS_NAME.test(text.toLowerCase()) && /[a-z]/i.test(text);
}

function networkFix(cidr: string, ownAddresses: string): string {
  if (isName(cidr)) {
    return "write the addresses that the name resolves to, for example 192.168.1.20/32";
  }
  if (parseCidr(cidr) && isEveryAddress(cidr)) {
    return ownAddresses;
  }
  const host = isIP(cidr) ? cidr : outsideServer(cidr)?.host;
  const meant = host !== undefined && isIP(host) ? hostCidr(host) : undefined;
  return meant !== undefined && networkFault(meant) === undefined
    ? `write ${meant}`
    : "write for example 192.168.1.20/32";
}

function isEveryAddress(cidr: string): boolean {
  return cidr.endsWith("/0");
}

/** Why a network contains forbidden addresses. */
function networkFault(cidr: string): string | undefined {
  const network = parseCidr(cidr);
  if (network === undefined) {
    return isName(cidr) ? "names are not networks: a NetworkPolicy holds addresses" : "it is none";
  }
  if (isMappedIpv4(cidr)) {
    return HIDES_IPV4;
  }
  if (isEveryAddress(cidr)) {
    return "a network of every address restricts nothing";
  }
  const [reason] =
    FORBIDDEN.find(([, cidrs]) =>
      cidrs.some((each) => {
        const forbidden = parseCidr(each);
        return forbidden !== undefined && (contains(forbidden, network) || contains(network, forbidden));
      }),
    ) ?? [];
  return reason;
}
