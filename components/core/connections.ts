import type { Labels } from "../../names/labels";
import type { TraceReceiver } from "../../names/trace-receiver";

export interface PodSelection {
  readonly namespace: string;
  /** Empty: all pods of the namespace. */
  readonly podLabels: Labels;
  /**
   * Service account of the pods, their mesh identity.
   * @default unknown: a mesh identifies them by namespace
   */
  readonly serviceAccount?: string;
}

export interface TracePods extends TraceReceiver {
  readonly pods: PodSelection;
}

export type End =
  /** Pods of the platform or of an existing namespace. */
  | PodSelection
  /** Pods in any namespace that the platform did not install. Opens no platform namespace. */
  | { readonly anyNamespace: true }
  /** Addresses of nodes or outside the cluster. */
  | { readonly cidr: string; readonly except?: readonly string[] }
  /** Any source, inside or outside: the target must authenticate. Only as `from`. */
  | { readonly anyone: true };

export interface Port {
  readonly port: number;
  /** @default "TCP" */
  readonly protocol?: "TCP" | "UDP";
}

/**
 * An allowed connection, source of NetworkPolicies and mesh authorizations (principals are the
 * service accounts of `from`).
 */
export interface Connection {
  /** `<from>-to-<to>`, unique in a platform; shown on the policies of both ends. */
  readonly name: string;
  /** Purpose in one sentence without a full stop. */
  readonly reason: string;
  readonly from: readonly End[];
  readonly to: readonly End[];
  /** Ports of `to`. Undefined: all. */
  readonly ports: readonly Port[] | undefined;
}

export interface ConnectArgs {
  readonly name: string;
  readonly reason: string;
  readonly from: End | readonly End[];
  readonly to: End | readonly End[];
  /** Ports of `to`. @default all */
  readonly ports?: readonly (number | Port)[];
}

/**
 * Declares a connection. Effective once in the platform's list.
 *
 * @throws Error if an end is empty, which NetworkPolicies treat as any, or if neither end is pods.
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

export function podsIn(namespace: string): PodSelection {
  return { namespace, podLabels: {} };
}

/** An end without extra properties. */
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

export interface PodConnections {
  /** Empty: all pods of the namespace. */
  readonly podLabels: Labels;
  readonly incoming: readonly Connection[];
  readonly outgoing: readonly Connection[];
}

export class Connections {
  private readonly byNamespace = new Map<string, Connection[]>();

  /**
   * @param dnsCaches additional DNS cache networks as CIDRs, allowed for every pod.
   * @throws Error for duplicate names.
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

  /**
   * Connections of a namespace by pod selection: all pods first, then others in order of
   * connections.
   */
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

/** Independent of label order. */
function key(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
