import {
  type IgnoredDifference,
  ignoredDifferences,
  type LooseObject,
} from "../components/argo-cd/ignored-differences";
import { groupOf, isBuiltIn, type KubernetesObject } from "../kubernetes/object";
import { ownerOf } from "../kubernetes/owner";
import { HELM_RELEASE } from "../kubernetes/resource-types";
import type { Labels } from "../names/labels";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../names/namespaces";
import type { RecordedResource } from "../offline/run";
import { application, type Chart, chartOf, project } from "./application";
import { claimValues, externalSecret } from "./external-secret";
import { isJob, namedByContent } from "./job-names";
import { annotated, isInCluster, SECRET, toObject } from "./kubernetes-object";
import { type LeftOut, leftOut } from "./left-out";
import { compare, isMade, type KnownValues, pendingPaths, type StandIns, withKnown } from "./pending-values";
import { RenderRefusedError } from "./refusal";
import type { RemoteSecrets } from "./remote-secrets";
import { withoutScaledReplicas } from "./scaled-replicas";
import { withoutSecretVersion } from "./secret-versions";
import { type OrderedObject, waves } from "./waves";

/** An object with its place in the order. */
export interface Manifest {
  readonly object: KubernetesObject;
  readonly wave: number;
}

/** What goes into files, and what does not. */
export interface Manifests {
  readonly manifests: readonly Manifest[];
  readonly leftOut: readonly LeftOut[];
  /** Fields that other managers set, which Argo CD must leave alone. */
  readonly ignored: readonly IgnoredDifference[];
}

export interface ManifestsOptions {
  /** Of what only GitOps needs; the program's own objects have them. @default none */
  readonly labels?: Labels;
  /** What a deployment has made. @default nothing */
  readonly known?: KnownValues;
  /** The environment has its own Argo CD: what `up` owns, and the charts' AppProject with it, is in no file. @default false */
  readonly gitops?: boolean;
}

/** The recorded resources of one run, with the stand-ins that it ran with. */
export interface MarkedRun {
  readonly resources: readonly RecordedResource[];
  readonly standIns: StandIns;
}

/**
 * What the cluster must hold, without a secret value, in the order of application.
 *
 * @param platform its name in Argo CD.
 * @param runs two runs of the same program with different stand-ins.
 * @throws RenderRefusedError when a secret is where no reference can.
 */
export function manifests(
  platform: string,
  runs: readonly [MarkedRun, MarkedRun],
  remote: RemoteSecrets,
  { labels = {}, known = new Map(), gitops = false }: ManifestsOptions = {},
): Manifests {
  const resources = runs[0].resources;
  const isOurs = (resource: RecordedResource | undefined) =>
    !gitops || resource === undefined || ownerOf(resource) === "folder";
  const inCluster = withPendingTexts(runs, known).filter(({ resource }) => isInCluster(resource));
  for (const { resource, inputs } of inCluster.filter(({ resource }) => resource.type === SECRET && isOurs(resource))) {
    claimValues(toObject(resource, inputs), remote);
  }

  const charts: Chart[] = [];
  const applications = gitops ? ARGO_CD_CHARTS_NAMESPACE : ARGO_CD_NAMESPACE;
  const rendered = inCluster.flatMap(({ resource, inputs }): OrderedObject[] => {
    const item = (object: KubernetesObject, home = object.metadata.namespace) => ({ object, home, source: resource });
    if (resource.type === HELM_RELEASE) {
      const chart = chartOf(resource.urn, inputs);
      charts.push(...(isOurs(resource) ? [chart] : []));
      return [item(application(platform, chart, labels, applications), chart.namespace)];
    }
    const object = withoutSecretVersion(toObject(resource, inputs));
    return [item(resource.type === SECRET && isOurs(resource) ? externalSecret(object, remote) : object)];
  });
  const all = withoutScaledReplicas(rendered);
  if (charts.length > 0 && !gitops) {
    const namespaces = all.flatMap(({ object }) => (object.kind === "Namespace" ? [object.metadata.name] : []));
    all.push({ object: project(platform, charts, namespaces, labels), home: undefined, source: undefined });
  }
  const ours = all.filter(({ source }) => isOurs(source));
  const without = ours.flatMap(({ object }) => leftOut(object) ?? []);
  refusePending(ours.filter(({ object }) => leftOut(object) === undefined));

  // What is in no file keeps its place: what waits for something through it waits still, and has the same place when it is there.
  const order = waves(all, resources);
  const kept = keptNamespaces(all);
  const ordered = all
    .map((item, i) => ({ item, wave: order[i] ?? 0 }))
    .filter(({ item }) => isOurs(item.source) && leftOut(item.object) === undefined)
    .map(({ item, wave }) => ({ object: forArgo(item, wave, kept), wave }))
    .sort((a, b) => a.wave - b.wave || (identity(a.object) < identity(b.object) ? -1 : 1));
  const ignored = ignoredDifferences(ours.flatMap(looseObject));
  return { manifests: ordered, leftOut: without, ignored };
}

function looseObject({ object: { apiVersion, kind, metadata }, source }: OrderedObject): LooseObject[] {
  return source === undefined
    ? []
    : [{ apiVersion, kind, name: metadata.name, namespace: metadata.namespace, ignored: source.options.ignoreChanges }];
}

/** Kind, namespace and name: what makes an object the same object. */
export function identity({ apiVersion, kind, metadata }: KubernetesObject): string {
  return `${groupOf(apiVersion)}/${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}

interface ComparedResource {
  readonly resource: RecordedResource;
  /** Its inputs, with pending texts in place of the values that exist only at deployment. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

function withPendingTexts([first, second]: readonly [MarkedRun, MarkedRun], known: KnownValues): ComparedResource[] {
  const others = new Map(second.resources.map((resource) => [resource.urn, resource]));
  return first.resources.map((resource) => {
    const other = others.get(resource.urn);
    const inputs = compare(resource.urn, resource.inputs, first.standIns, other?.inputs, second.standIns);
    return { resource, inputs: withKnown(inputs, known) as Readonly<Record<string, unknown>> };
  });
}

/** Secrets belong into Secrets: anywhere else, and in what the program marks as secret besides, they would be readable. */
function refusePending(objects: readonly OrderedObject[]): void {
  const reasons = objects.flatMap(({ object, source }) => {
    const pending = pendingPaths(object);
    const made = pending.filter(({ text }) => isMade(text)).map(({ path }) => path.join("."));
    const places = pending.map(({ path }) => path.join("."));
    const unseen = source && source.type !== SECRET ? source.secretInputs : [];
    return [...new Set([...places, ...unseen])].map((place) =>
      made.includes(place)
        ? `${identity(object)}: ${place} holds what only a deployment makes. Give its outputs with --outputs FILE.`
        : `${identity(object)}: ${place} holds a value that exists only at deployment. Keep it in a Secret and refer to that.`,
    );
  });
  if (reasons.length > 0) {
    throw new RenderRefusedError(reasons);
  }
}

const SYNC_WAVE = "argocd.argoproj.io/sync-wave";
const SYNC_OPTIONS = "argocd.argoproj.io/sync-options";

/** The object with what Argo CD must know of it; kubectl ignores that. */
function forArgo({ object, source }: OrderedObject, wave: number, kept: ReadonlySet<string>): KubernetesObject {
  const keep = isKept(source) || (object.kind === "Namespace" && kept.has(object.metadata.name));
  const options = [
    // Neither removal from Git nor deletion of the Application deletes what Pulumi protects.
    ...(keep ? ["Delete=false", "Prune=false"] : []),
    // A changed one replaces the old one; Jobs get another name. What Pulumi protects it does not replace either.
    ...(source?.options.deleteBeforeReplace && !source.options.protect && !isJob(object)
      ? ["Force=true", "Replace=true"]
      : []),
    // Charts of earlier waves bring the CRDs.
    ...(isBuiltIn(groupOf(object.apiVersion)) ? [] : ["SkipDryRunOnMissingResource=true"]),
  ];
  return annotated(namedByContent(object), {
    [SYNC_WAVE]: String(wave),
    ...(options.length > 0 && { [SYNC_OPTIONS]: options.join(",") }),
  });
}

function isKept(source: RecordedResource | undefined): boolean {
  return source !== undefined && (source.options.protect || source.options.retainOnDelete);
}

/** Namespaces whose deletion would delete something that must be kept. */
function keptNamespaces(objects: readonly OrderedObject[]): ReadonlySet<string> {
  return new Set(objects.flatMap(({ source, home }) => (home !== undefined && isKept(source) ? [home] : [])));
}
