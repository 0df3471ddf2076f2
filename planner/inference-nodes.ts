/**
 * Inference nodes: replicas of a model with an Envoy next to each engine that answers `/health` and
 * `/infer`. A server group is the nodes of one model behind one address.
 */
import type { TraceReceiver } from "../names/trace-receiver";
import type { CertificateFile } from "./types";

export interface RegistrarPlan {
  /** Base URL of its API (docs/nodes.md). */
  readonly url: string;
  /** CIDR networks that the URL's name resolves to. @default unknown */
  readonly networks?: readonly string[];
  /** Secret with the nodes' key. @default no key */
  readonly secretKey?: string;
  /** CAs of its certificate. @default those of the node's image */
  readonly authorities?: CertificateFile;
  /** Renewal interval, seconds; a node that misses three is gone. */
  readonly renewSeconds: number;
}

/** Nodes behind one address, `/<name>` at the gateway. */
export interface ServerGroupPlan {
  readonly name: string;
  /** The model of all its nodes: one in this cluster, or an external server. */
  readonly model: string;
  readonly registrar?: RegistrarPlan;
}

/**
 * Path at the gateway: the group's name. A canary takes a share of it and has its own path too.
 * Names of models and groups have no dot, so it is unique.
 */
export function groupPath(group: string, revisionOf: object | undefined): string {
  return revisionOf === undefined ? group : `${group}.canary`;
}

export type NodePlan = Pick<ServerGroupPlan, "registrar"> & {
  readonly group: string;
  /** Where its Envoy sends spans: set after the plan, with the add-ons. @default none */
  readonly traces?: TraceReceiver;
};

/** The group of a model and its canary. */
export function nodeOf(
  groups: readonly ServerGroupPlan[],
  { name, revisionOf }: { readonly name: string; readonly revisionOf?: { readonly model: string } },
): NodePlan | undefined {
  const group = groups.find(({ model }) => model === (revisionOf?.model ?? name));
  return group && { group: group.name, ...(group.registrar && { registrar: group.registrar }) };
}
