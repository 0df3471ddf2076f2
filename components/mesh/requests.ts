/** Rules about requests to models, and which proxies of the mesh see requests. Pure. */
import type { Labels } from "../../names/labels";
import type { TokenIssuer } from "../../planner/tenants";
import { type Connections, isPods } from "../core/connections";
import type { Members } from "./members";
import type { MeshMode } from "./mode";
import { WAYPOINT_LABELS } from "./targets";

export interface RequestRules {
  /** Whose tokens let callers in besides the gateway. @default nobody's: tokens are not looked at */
  readonly tokenIssuer?: TokenIssuer;
  /** What one proxy lets through. @default no limit */
  readonly requestsPerSecond?: number;
}

/** Where one model answers. */
export interface ModelServer {
  readonly namespace: string;
  readonly podLabels: Labels;
  /** By the API that they are of. */
  readonly ports: Readonly<Partial<Record<string, number>>>;
  /** The Envoy beside the engine. @default there is none */
  readonly node?: { readonly port: number };
}

/** Pods that answer for models, and where. */
export interface ModelPods {
  readonly namespace: string;
  readonly podLabels: Labels;
  /** Ports of requests, whichever API they are of. */
  readonly ports: readonly number[];
}

/** What one proxy lets through where proxies see requests anyway. */
const REQUESTS_PER_SECOND = 10_000;

/** @param requestsPerSecond as the environment says it, if it does: in ambient mode it takes proxies to hold. */
export function requestRules(
  mode: MeshMode,
  requestsPerSecond: number | undefined,
  tokenIssuer: TokenIssuer | undefined,
): RequestRules {
  const limit = requestsPerSecond ?? (mode === "sidecar" || tokenIssuer ? REQUESTS_PER_SECOND : undefined);
  return { ...(tokenIssuer && { tokenIssuer }), ...(limit !== undefined && { requestsPerSecond: limit }) };
}

/** Models that share pods are one. */
export function modelPods(endpoints: readonly ModelServer[]): ModelPods[] {
  const byPods = new Map<string, ModelPods>();
  for (const { namespace, podLabels, ports, node } of endpoints) {
    const key = JSON.stringify([namespace, Object.entries(podLabels)]);
    const all = [
      ...(byPods.get(key)?.ports ?? []),
      ...Object.values(ports).flatMap((port) => port ?? []),
      ...(node ? [node.port] : []),
    ];
    byPods.set(key, { namespace, podLabels, ports: [...new Set(all)].sort((a, b) => a - b) });
  }
  return [...byPods.values()];
}

/**
 * Namespaces in front of which a waypoint stands: of models in an ambient mesh, while there is a rule about requests. A waypoint
 * sees every connection to every pod of its namespace and does not tell the pods apart, so where pods of a model are of several
 * kinds, or connect to each other on ports of their choice, there is none: rules about requests do not hold there.
 */
export function waypointNamespaces(
  models: readonly ModelPods[],
  rules: RequestRules,
  declared: Connections,
  members: Pick<Members, "isInMesh" | "mode">,
): readonly string[] {
  if (members.mode !== "ambient" || Object.keys(rules).length === 0) {
    return [];
  }
  const namespaces = [...new Set(models.map(({ namespace }) => namespace))];
  return namespaces.filter((namespace) => members.isInMesh(namespace) && isOfOneKind(namespace, declared));
}

function isOfOneKind(namespace: string, declared: Connections): boolean {
  const called = declared
    .of(namespace)
    .filter(({ incoming, podLabels }) => incoming.length > 0 && !isWaypoint(podLabels));
  const knowsPorts = called.every(({ incoming }) => incoming.every(({ ports }) => ports !== undefined));
  const toItself = called.some(({ incoming }) =>
    incoming.some(({ from }) => from.some((end) => isPods(end) && end.namespace === namespace)),
  );
  return called.length === 1 && knowsPorts && !toItself;
}

export function isWaypoint(labels: Labels): boolean {
  return Object.entries(WAYPOINT_LABELS).every(([label, value]) => labels[label] === value);
}
