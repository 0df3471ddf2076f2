import { groupOf, isBuiltIn, type KubernetesObject } from "../kubernetes/object";
import { isPlain } from "../kubernetes/plain";
import { podTemplates } from "../kubernetes/pod-templates";
import type { RecordedResource } from "../offline/run";
import { isRecord } from "./kubernetes-object";
import { inseparable, referredNeeds } from "./readiness";

/** An object on its way into a file, with what its place in the order follows from. */
export interface OrderedObject {
  readonly object: KubernetesObject;
  /** Resource of the program that it renders; undefined for what only GitOps needs. */
  readonly source: RecordedResource | undefined;
  /** Namespace that it acts in: its own, for a chart the one it installs into; undefined for the whole cluster. */
  readonly home: string | undefined;
}

/**
 * Wave in which each object is applied: one later than everything that it needs. Argo CD waits until a wave is
 * healthy before it starts the next one, so an object must not share its wave with what it waits for, nor come before it.
 *
 * An object needs
 * - what the program says (`dependsOn` of the resource and of the components around it), and what it refers to itself
 *   (`readiness.ts`),
 * - its namespace,
 * - if it is a custom resource or chart: the network and mesh policies, quotas, accounts and configuration of its namespace,
 * - if it runs pods: these, and the custom resources of its namespace, whose Secrets it mounts (certificates).
 *
 * What becomes healthy only together shares a wave: it counts as one object.
 *
 * @returns waves from 0, in the order of `objects`.
 * @throws Error when objects need one another.
 */
export function waves(objects: readonly OrderedObject[], resources: readonly RecordedResource[]): number[] {
  const group = groups(objects);
  const groupOfIndex = (i: number): number => group[i] ?? i;
  const declared = grouped(declaredNeeds(objects, resources), group);
  const reachable = closure(declared);
  const neighbours = byNamespace(objects);
  const ranks = objects.map(rankOf);
  const rankAt = (i: number): number => ranks[i] ?? 0;
  const ruled = objects.map(({ home }, i) => {
    const around = home === undefined ? [] : (neighbours.get(home) ?? []);
    // What is declared is stronger than the rule of thumb: no rule may turn it round.
    return around.filter((j) => rankAt(j) < rankAt(i) && !reachable[groupOfIndex(j)]?.has(groupOfIndex(i)));
  });
  const needs = grouped(ruled, group).map((found, i) => new Set([...(declared[i] ?? []), ...found]));

  const known = new Map<number, number>();
  const waveOf = (i: number, above: ReadonlySet<number>): number => {
    const found = known.get(i);
    if (found !== undefined) {
      return found;
    }
    if (above.has(i)) {
      const names = [...above].map((j) => describe(objects[j]));
      throw new Error(`these objects need one another: ${names.join(", ")}`);
    }
    const path = new Set([...above, i]);
    const wave = Math.max(-1, ...[...(needs[i] ?? [])].map((j) => waveOf(j, path))) + 1;
    known.set(i, wave);
    return wave;
  };
  return withConsumers(
    objects,
    objects.map((_, i) => waveOf(groupOfIndex(i), new Set())),
  );
}

/** For each object the first one that it must share its wave with: itself for most. */
function groups(objects: readonly OrderedObject[]): readonly number[] {
  const first = objects.map((_, i) => i);
  for (const [one, other] of inseparable(objects)) {
    const [joined, left] = [first[one] ?? one, first[other] ?? other];
    first.forEach((member, i) => {
      if (member === left) {
        first[i] = joined;
      }
    });
  }
  return first;
}

/** Needs of groups: those of their members, at the place of the first one, without those inside a group. */
function grouped(needs: readonly Iterable<number>[], group: readonly number[]): Set<number>[] {
  const found = needs.map(() => new Set<number>());
  needs.forEach((needed, i) => {
    const own = group[i] ?? i;
    for (const j of needed) {
      if (group[j] !== own) {
        found[own]?.add(group[j] ?? j);
      }
    }
  });
  return found;
}

/** A volume claim may be bound only once a pod uses it, and is not healthy before: it goes with its first user. */
function withConsumers(objects: readonly OrderedObject[], found: readonly number[]): number[] {
  return found.map((wave, i) => {
    const { object, home } = objects[i] ?? {};
    if (object?.kind !== "PersistentVolumeClaim") {
      return wave;
    }
    const users = found.filter((_, j) => objects[j]?.home === home && mentionsClaim(objects[j], object.metadata.name));
    return users.length > 0 ? Math.min(...users) : wave;
  });
}

function mentionsClaim(value: unknown, claim: string): boolean {
  if (Array.isArray(value)) {
    return value.some((item) => mentionsClaim(item, claim));
  }
  return (
    isRecord(value) && (value.claimName === claim || Object.values(value).some((item) => mentionsClaim(item, claim)))
  );
}

/** Indices of the objects that each object refers to, and that its resource, or a component around it, depends on. */
function declaredNeeds(objects: readonly OrderedObject[], resources: readonly RecordedResource[]): Set<number>[] {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const lineage = (resource: RecordedResource | undefined): RecordedResource[] =>
    resource ? [resource, ...lineage(resource.parent === undefined ? undefined : byUrn.get(resource.parent))] : [];
  /** Objects of a resource, or below a component. */
  const below = new Map<string, number[]>();
  for (const [i, { source }] of objects.entries()) {
    for (const { urn } of lineage(source)) {
      below.set(urn, [...(below.get(urn) ?? []), i]);
    }
  }
  const referred = referredNeeds(objects);
  return objects.map(({ source }, i) => {
    const dependencies = lineage(source).flatMap(({ dependsOn }) => dependsOn.flatMap((urn) => below.get(urn) ?? []));
    return new Set([...dependencies, ...(referred[i] ?? [])]);
  });
}

/** All that can be reached from each index. */
function closure(edges: readonly ReadonlySet<number>[]): ReadonlySet<number>[] {
  return edges.map((direct) => {
    const seen = new Set<number>();
    const open = [...direct];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!seen.has(next)) {
        seen.add(next);
        open.push(...(edges[next] ?? []));
      }
    }
    return seen;
  });
}

/** Place within a namespace: 0 itself, 1 what fences and configures it, 2 custom resources and charts, 3 pods. */
function rankOf({ object, home }: OrderedObject): number {
  if (home === undefined) {
    return 0;
  }
  if (runsPods(object)) {
    return 3;
  }
  return isConfiguration(object) ? 1 : 2;
}

/** Groups of custom resources that are configuration like a ConfigMap, or guard pods like a NetworkPolicy. */
const CONFIGURING = ["external-secrets.io", "generators.external-secrets.io", "security.istio.io"];

function isConfiguration({ apiVersion }: KubernetesObject): boolean {
  const group = groupOf(apiVersion);
  return isBuiltIn(group) || CONFIGURING.includes(group);
}

/** What operators merge into pods of their own (a patch of one container) names no image. */
function runsPods(object: KubernetesObject): boolean {
  const hasImage = (container: unknown) => isPlain(container) && typeof container.image === "string";
  return podTemplates(object).some(({ template }) => template.spec.containers.some(hasImage));
}

/** Indices of each namespace's object and of all that acts in it. */
function byNamespace(objects: readonly OrderedObject[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [i, { object, home }] of objects.entries()) {
    const namespace = object.kind === "Namespace" ? object.metadata.name : home;
    if (namespace !== undefined) {
      found.set(namespace, [...(found.get(namespace) ?? []), i]);
    }
  }
  return found;
}

function describe(item: OrderedObject | undefined): string {
  const { kind, metadata } = item?.object ?? {};
  return `${kind} ${metadata?.namespace ?? ""}/${metadata?.name}`;
}
