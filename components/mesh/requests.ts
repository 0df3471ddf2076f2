/** Rules for model requests, and the mesh proxies that enforce them. */
import type { Labels } from "../../names/labels";
import type { TokenIssuer } from "../../planner/tenants";
import { type Connections, isPods } from "../core/connections";
import type { Members } from "./members";
import type { MeshMode } from "./mode";
import { WAYPOINT_LABELS } from "./targets";

export interface RequestRules {
  /**
   * Issuer whose tokens admit callers besides the gateway.
   * @default none: tokens are not checked
   */
  readonly tokenIssuer?: TokenIssuer;
  /** Request limit per proxy. @default no limit */
  readonly requestsPerSecond?: number;
}

export interface ModelServer {
  readonly namespace: string;
  readonly podLabels: Labels;
  /** By API. */
  readonly ports: Readonly<Partial<Record<string, number>>>;
  /** Envoy next to the engine. @default none */
  readonly node?: { readonly port: number };
}

export interface ModelPods {
  readonly namespace: string;
  readonly podLabels: Labels;
  readonly ports: readonly number[];
}

/** Default limit where proxies already handle requests. */
const REQUESTS_PER_SECOND = 10_000;

/** @param requestsPerSecond of the environment; enforcing it in ambient mode requires waypoints. */
export function requestRules(
  mode: MeshMode,
  requestsPerSecond: number | undefined,
  tokenIssuer: TokenIssuer | undefined,
): RequestRules {
  const limit = requestsPerSecond ?? (mode === "sidecar" || tokenIssuer ? REQUESTS_PER_SECOND : undefined);
  return { ...(tokenIssuer && { tokenIssuer }), ...(limit !== undefined && { requestsPerSecond: limit }) };
}

/** Groups models that share pods. */
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
 * Namespaces with a waypoint: of models in an ambient mesh with request rules. A waypoint does not
 * distinguish pods, so namespaces with several pod kinds, or free connections between pods, get
 * none.
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
