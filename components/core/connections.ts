import type { Labels } from "../../names/labels";
import type { TraceReceiver } from "../../names/trace-receiver";

/** Pods of a known place. */
export interface PodSelection {
  readonly namespace: string;
  /** All pods of the namespace when empty. */
  readonly podLabels: Labels;
  /** Account that they run as: their identity in a mesh. @default not known, so that a mesh knows them by their namespace */
  readonly serviceAccount?: string;
}

/** Where spans go, and the pods that take them. */
export interface TracePods extends TraceReceiver {
  readonly pods: PodSelection;
}

/** One end of a connection. */
export type End =
  /** Pods, of the platform or of a namespace that is there already. */
  | PodSelection
  /** Pods of whichever namespace: parts that the platform did not install. They open no namespace of the platform. */
  | { readonly anyNamespace: true }
  /** Addresses, of nodes or outside of the cluster. */
  | { readonly cidr: string; readonly except?: readonly string[] }
  /** Everybody, inside and outside of the cluster: what lets them in must check them itself. Only as `from`. */
  | { readonly anyone: true };

export interface Port {
  readonly port: number;
  /** @default "TCP" */
  readonly protocol?: "TCP" | "UDP";
}

/**
 * Who may connect to whom: declared once, for both ends. The namespaces of the ends read their NetworkPolicies from it, and a
 * mesh can read its authorizations (principals are the service accounts of `from`).
 */
export interface Connection {
  /** `<from>-to-<to>`, once in a platform: an auditor reads it on the policies of both ends. */
  readonly name: string;
  /** Who needs it and for what, in one sentence without a full stop: it stands beside the name. */
  readonly reason: string;
  readonly from: readonly End[];
  readonly to: readonly End[];
  /** At `to`; all of them when left out. */
  readonly ports: readonly Port[] | undefined;
}

export interface ConnectArgs {
  readonly name: string;
  readonly reason: string;
  readonly from: End | readonly End[];
  readonly to: End | readonly End[];
  /** Ports at `to`. @default all of them */
  readonly ports?: readonly (number | Port)[];
}

/**
 * Declares a connection. It is open once the platform has it in its list.
 *
 * @throws Error when an end is missing, which NetworkPolicies would take for everybody, or none is pods.
 */
export function connect({ name, reason, from, to, ports }: ConnectArgs): Connection {
  const connection: Connection = {
    name,
    reason,
    from: [from].flat().map(bare),
    to: [to].flat().map(bare),
    ports: ports?.map((port) => (typeof port === "number" ? { port } : port)),
  };
  const problem = problemOf(connection);
  if (problem !== undefined) {
    throw new Error(`connection "${name}" ${problem}`);
  }
  return connection;
}

function problemOf({ from, to, ports }: Connection): string | undefined {
  if (from.length === 0 || to.length === 0) {
    return "has no end: give from and to";
  }
  if (ports?.length === 0) {
    return "has no port: name some, or leave them out for all";
  }
  if (to.some((end) => "anyone" in end)) {
    return "goes to anyone: name pods or addresses";
  }
  if (![...from, ...to].some(isPods)) {
    return "has no pods at either end, so that no namespace takes part in it";
  }
  return undefined;
}

/** All pods of a namespace. */
export function podsIn(namespace: string): PodSelection {
  return { namespace, podLabels: {} };
}

/** An end without what its giver knows besides, so that the list stays readable. */
function bare(end: End): End {
  if (!isPods(end)) {
    return end;
  }
  const { namespace, podLabels, serviceAccount } = end;
  return { namespace, podLabels, ...(serviceAccount !== undefined && { serviceAccount }) };
}

export function isPods(end: End): end is PodSelection {
  return "namespace" in end;
}

/** What the pods of one selection take part in. */
export interface PodConnections {
  /** All pods of the namespace when empty. */
  readonly podLabels: Labels;
  readonly incoming: readonly Connection[];
  readonly outgoing: readonly Connection[];
}

/** All connections of a platform, by the namespaces that take part in them. */
export class Connections {
  private readonly byNamespace = new Map<string, Connection[]>();

  /**
   * @param dnsCaches networks in CIDR form where every pod may resolve names, besides those that are known.
   * @throws Error when two have one name.
   */
  constructor(
    readonly all: readonly Connection[],
    readonly dnsCaches: readonly string[] = [],
  ) {
    const names = new Set<string>();
    for (const connection of all) {
      if (names.has(connection.name)) {
        throw new Error(`two connections are named "${connection.name}": give each its own name`);
      }
      names.add(connection.name);
      const ends = [...connection.from, ...connection.to].filter(isPods);
      for (const namespace of new Set(ends.map((end) => end.namespace))) {
        const known = this.byNamespace.get(namespace) ?? [];
        this.byNamespace.set(namespace, [...known, connection]);
      }
    }
  }

  /** The part of a namespace, by pods: all pods of it first, then each selection once, in the order of the connections. */
  of(namespace: string): readonly PodConnections[] {
    const connections = this.byNamespace.get(namespace) ?? [];
    const here = (ends: readonly End[]) => ends.filter(isPods).filter((end) => end.namespace === namespace);
    const selections = new Map<string, Labels>([[key({}), {}]]);
    for (const { from, to } of connections) {
      for (const { podLabels } of here([...from, ...to])) {
        selections.set(key(podLabels), podLabels);
      }
    }
    return [...selections].map(([selection, podLabels]) => {
      const concerns = (ends: readonly End[]) => here(ends).some((end) => key(end.podLabels) === selection);
      return {
        podLabels,
        incoming: connections.filter(({ to }) => concerns(to)),
        outgoing: connections.filter(({ from }) => concerns(from)),
      };
    });
  }
}

/** The same for equal labels, in whichever order they are written. */
function key(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
