import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { Cluster } from "../components/core/cluster";
import { isKnown } from "../components/core/known";
import { isPrivateIpv4 } from "../names/cidr";
import type { ClusterConfig } from "./config";

/** Where something listens for TCP connections. */
export interface Address {
  /** Name or IP address, an IPv6 one without brackets. */
  readonly host: string;
  readonly port: number;
}

/** What a deployment can find out about the network that it runs in. A run without one finds out nothing. */
export interface Surroundings {
  /**
   * Why no connection can be opened to an address; undefined where one can. Never throws.
   *
   * @param patience milliseconds that it is tried for. @default half a minute
   */
  readonly unreachable?: (address: Address, patience?: number) => Promise<string | undefined>;
}

/** The platform's objects cannot be made from here, or in this run; the message holds the ways out. What was made is recorded. */
export class UnreachableClusterError extends Error {}

/**
 * Waits for a cluster that is being made and asks whether its API answers, before anything is made in it: a private
 * endpoint answers inside its network alone, and each of hundreds of objects would wait for it in vain.
 *
 * A preview goes on, for there may be no cluster yet, and warns where one that is known does not answer. A cluster of the ambient
 * kubeconfig is not asked.
 *
 * @throws UnreachableClusterError
 */
export async function assertReachable(
  { kubeconfig }: Pick<Cluster, "kubeconfig">,
  { kind, provision }: Pick<ClusterConfig, "kind" | "provision">,
  { unreachable }: Surroundings,
): Promise<void> {
  if (kubeconfig === undefined || unreachable === undefined) {
    return;
  }
  if (pulumi.runtime.isDryRun()) {
    await warnOfPreview(kubeconfig, unreachable);
    return;
  }
  const server = apiServerOf(await resolved(kubeconfig, () => new UnreachableClusterError(unmadeMessage())));
  const reason = server && (await unreachable(server));
  if (server && reason !== undefined) {
    const isOurs = provision === "create";
    throw new UnreachableClusterError(
      isOurs && kind === "edge" ? machineMessage(server, reason) : unreachableMessage(server, reason, isOurs),
    );
  }
}

/** Milliseconds: a preview must not wait long for what it does not need. */
const PREVIEW_PATIENCE = 5_000;

/** Without its API the provider compares with the state alone: what was changed or deleted by others, and what the server refuses, is not in the preview. */
async function warnOfPreview(
  kubeconfig: pulumi.Output<string>,
  unreachable: NonNullable<Surroundings["unreachable"]>,
): Promise<void> {
  const server = (await isKnown(kubeconfig)) ? apiServerOf(await valueIn(kubeconfig)) : undefined;
  const reason = server && (await unreachable(server, PREVIEW_PATIENCE));
  if (server && reason !== undefined) {
    await pulumi.log.warn(
      `the Kubernetes API at ${authority(server)} does not answer from here: ${reason}. This preview compares objects with the state alone, ` +
        "and nothing was checked by the API server. `pulumi up` ends with an error until it answers",
    );
  }
}

/**
 * The server of a kubeconfig's current context; its proxy, where it names one, because that is what clients connect to.
 * Undefined for text of which no client would know a server either: it says better than we what is wrong.
 */
export function apiServerOf(kubeconfig: string): Address | undefined {
  const config = record(parsed(kubeconfig));
  const context = record(named(config.contexts, config["current-context"])?.context);
  const cluster = record(named(config.clusters, context.cluster)?.cluster);
  return addressOf(cluster["proxy-url"] ?? cluster.server);
}

/** Host and port of an URL; undefined where it is none. */
export function addressOf(url: unknown): Address | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) {
    return undefined;
  }
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return host === "" ? undefined : { host, port: port === "" ? (DEFAULT_PORTS[protocol] ?? 443) : Number(port) };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "socks5:": 1080, "socks5h:": 1080 };

/** What to tell whoever deploys from outside of the cluster's network. */
export function unreachableMessage({ host, port }: Address, reason: string, isOurs: boolean): string {
  const place = isPrivateIpv4(host)
    ? "That address is private: only its own network, and what is connected to it, has a way there."
    : "That address is not private: networks may be allowed one by one (endpoint.allowedCidrs under cluster.oke or cluster.eks, in the environment that makes the cluster), and a firewall may be on the way.";
  const inside =
    "run `pulumi up` where it answers: on a machine of that network (a CI runner, a bastion host), or through a VPN or a bastion's SOCKS proxy (docs/clusters.md, Reaching a private API)";
  const split =
    "split the deployment: `scope: cluster` in this environment, and an environment with `scope: platform`, `cluster.provision: stack` and `cluster.stackReference` deployed from inside (docs/clusters.md)";
  return [
    `the Kubernetes API at ${authority({ host, port })} does not answer from here: ${reason}`,
    `  ${place}`,
    `  This run changed nothing in the cluster.${isOurs ? " The cluster itself is made and recorded." : ""} ${isOurs ? "Two ways out" : "What helps"}:`,
    `  - ${inside};`,
    ...(isOurs ? [`  - ${split}.`] : []),
  ].join("\n");
}

/** The same of a machine that SSH has just reached: what is on the way is a firewall. */
function machineMessage(address: Address, reason: string): string {
  return [
    `the Kubernetes API at ${authority(address)} does not answer from here: ${reason}`,
    "  SSH reached the machine, so something lets port 22 through and this one not. This run changed nothing in the cluster; k3s itself is installed and recorded.",
    `  - open port ${address.port} of the machine for where you deploy from, in its own firewall (ufw allow from <your address> to any port ${address.port} proto tcp) and in those on the way;`,
    "  - or run `pulumi up` on the machine, or in its network: the next run goes on from here.",
  ].join("\n");
}

function authority({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What to tell where a run ends without a cluster to make objects in. */
function unmadeMessage(): string {
  return [
    `nothing of the platform can be made: in this run nobody knows the cluster of environment "${pulumi.getStack()}"`,
    "  It was not made or changed, or something before it was not, or it is no part of this run. The platform's objects stay as they are: none was changed, none deleted.",
    "  - where the engine reports an error of the cluster, or of something before it: fix that, and run again;",
    "  - with --target or --exclude: run without them, or make the cluster first.",
  ].join("\n");
}

/**
 * The value of an output.
 *
 * @throws what `unknown` makes where this run does not find it out: `apply` alone would never call back, and the program would end there.
 */
async function resolved<T>(output: pulumi.Output<T>, unknown: () => Error): Promise<T> {
  if (!(await isKnown(output))) {
    throw unknown();
  }
  return valueIn(output);
}

/** The value of an output that is known. */
function valueIn<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => {
    output.apply(resolve as (value: unknown) => void);
  });
}

function parsed(text: string): unknown {
  try {
    return parse(text, { logLevel: "silent" });
  } catch {
    return undefined;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The entry of a kubeconfig's list that has a name. */
function named(list: unknown, name: unknown): Readonly<Record<string, unknown>> | undefined {
  return Array.isArray(list) ? list.map(record).find((entry) => name !== undefined && entry.name === name) : undefined;
}
