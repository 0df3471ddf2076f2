import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { Cluster } from "../components/core/cluster";
import { isKnown } from "../components/core/known";
import { isPrivateIpv4 } from "../names/cidr";
import type { ClusterConfig } from "./config";

/** TCP endpoint. */
export interface Address {
  /** Name or IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Network checks of a deployment. Offline runs have none. */
export interface Surroundings {
  /**
   * Why no connection is possible; undefined if it is. Never throws.
   *
   * @param patience milliseconds to try. @default half a minute
   */
  readonly unreachable?: (address: Address, patience?: number) => Promise<string | undefined>;
}

/**
 * The platform's objects cannot be created from here, or in this run; the message has fixes.
 * Existing resources are recorded.
 */
export class UnreachableClusterError extends Error {}

/**
 * Waits for a new cluster and checks its API before creating objects: private endpoints answer only
 * inside their network, and each of hundreds of objects would wait in vain.
 *
 * Previews continue, because the cluster may not exist yet, and warn about a known one without an
 * answer. Clusters of the ambient kubeconfig are not checked.
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

/** Milliseconds: previews must not wait long. */
const PREVIEW_PATIENCE = 5_000;

/**
 * Without its API the provider compares only with the state: changes by others and rejections are
 * missing in the preview.
 */
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
 * Server of the current context, or its proxy, to which clients connect. Undefined for invalid
 * text, which clients report better.
 */
export function apiServerOf(kubeconfig: string): Address | undefined {
  const config = record(parsed(kubeconfig));
  const context = record(named(config.contexts, config["current-context"])?.context);
  const cluster = record(named(config.clusters, context.cluster)?.cluster);
  return addressOf(cluster["proxy-url"] ?? cluster.server);
}

/** Undefined for other values. */
export function addressOf(url: unknown): Address | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) {
    return undefined;
  }
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return host === "" ? undefined : { host, port: port === "" ? (DEFAULT_PORTS[protocol] ?? 443) : Number(port) };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "socks5:": 1080, "socks5h:": 1080 };

/** For deployments from outside the cluster's network. */
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

/** For a machine already reached by SSH, where a firewall is likely. */
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

/** For runs that end without a cluster. */
function unmadeMessage(): string {
  return [
    `the platform cannot be created: this run does not know the cluster of environment "${pulumi.getStack()}"`,
    "  It was not made or changed, or something before it was not, or it is no part of this run. The platform's objects stay as they are: none was changed, none deleted.",
    "  - where the engine reports an error of the cluster, or of something before it: fix that, and run again;",
    "  - with --target or --exclude: run without them, or make the cluster first.",
  ].join("\n");
}

/**
 * @throws the error of `unknown` where this run does not resolve the output: `apply` would never
 * call back, and the program would end.
 */
async function resolved<T>(output: pulumi.Output<T>, unknown: () => Error): Promise<T> {
  if (!(await isKnown(output))) {
    throw unknown();
  }
  return valueIn(output);
}

/** Of a known output. */
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

/** Entry of a kubeconfig's list by name. */
function named(list: unknown, name: unknown): Readonly<Record<string, unknown>> | undefined {
  return Array.isArray(list) ? list.map(record).find((entry) => name !== undefined && entry.name === name) : undefined;
}
