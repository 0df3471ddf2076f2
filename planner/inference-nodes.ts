/**
 * Inference nodes: replicas of a model with an Envoy beside each engine, which answers `/health` and `/infer`, and server groups, which are the
 * nodes of one model behind one address.
 */
import type { TraceReceiver } from "../names/trace-receiver";
import type { CertificateFile } from "./types";

/** Where nodes say that they are there. */
export interface RegistrarPlan {
  /** Base URL of its API (docs/nodes.md). */
  readonly url: string;
  /** Networks in CIDR form that the URL's name resolves to. @default nobody says */
  readonly networks?: readonly string[];
  /** Name of the secret with the key that nodes send. @default they send none */
  readonly secretKey?: string;
  /** Authorities that its certificate may be signed by. @default those that the node's image trusts */
  readonly authorities?: CertificateFile;
  /** Seconds between two renewals; a node that has not renewed for three of them is gone. */
  readonly renewSeconds: number;
}

/** Nodes behind one address, `/<name>` at the gateway. */
export interface ServerGroupPlan {
  readonly name: string;
  /** Key of the model that all of its nodes serve: one that runs here, or somebody else's server. */
  readonly model: string;
  readonly registrar?: RegistrarPlan;
}

/**
 * Where nodes answer at the gateway, below its address: at the name of their group. A canary's take a share of that, and have a path of their
 * own besides. Names of models and groups have no dot: it is nobody else's.
 */
export function groupPath(group: string, revisionOf: object | undefined): string {
  return revisionOf === undefined ? group : `${group}.canary`;
}

/** What makes a model's replicas nodes. */
export type NodePlan = Pick<ServerGroupPlan, "registrar"> & {
  /** Name of the group. */
  readonly group: string;
  /** Where its Envoy reports spans: decided with the add-ons, after the plan. @default nowhere */
  readonly traces?: TraceReceiver;
};

/** The group that a model's replicas are nodes of; its canary's too. */
export function nodeOf(
  groups: readonly ServerGroupPlan[],
  { name, revisionOf }: { readonly name: string; readonly revisionOf?: { readonly model: string } },
): NodePlan | undefined {
  const group = groups.find(({ model }) => model === (revisionOf?.model ?? name));
  return group && { group: group.name, ...(group.registrar && { registrar: group.registrar }) };
}
