/** The cut with `gitops`: what `up` makes and what the rendered folder holds, of each environment that the repository ships. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { groupOf, isBuiltIn } from "../../kubernetes/object";
import { ownerOf } from "../../kubernetes/owner";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import type { RecordedResource } from "../../offline/run";
import { isInCluster, SECRET } from "../../render/kubernetes-object";
import { judge } from "../../report/judge";
import type { ReportedViolation } from "../../report/result";
import { useFolder } from "../cli/run";
import { environments, type ProgramRun, sharedRun } from "../stacks/run";
import { contentOf, fileToRender, objectsIn, type ReadObject, render, shippedRendering, waveOf } from "./run";

const folder = useFolder();
const REPOSITORY = "https://git.example.com/platform/gitops.git";
const section = (name: string) => ({
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: REPOSITORY,
  path: `clusters/${name}`,
});

describe.each(environments)("%s with gitops", (name) => {
  let content: ReadonlyMap<string, string>;
  let objects: ReadObject[];
  let run: ProgramRun;
  beforeAll(async () => {
    const file = fileToRender(name) ?? `Pulumi.${name}.yaml`;
    const shipped = parse(readFileSync(file, "utf8"));
    const config = join(folder, `${name}.yaml`);
    writeFileSync(
      config,
      stringify({ ...shipped, config: { ...shipped.config, "inference-stacks:gitops": section(name) } }),
    );
    const out = join(folder, `out-${name}`);
    const { status, err } = await render(name, "--config", config, "--out", out);
    expect([status, err]).toEqual([0, ""]);
    content = contentOf(out);
    rmSync(out, { recursive: true });
    objects = objectsIn(content);
    run = await sharedRun(name, { gitops: section(name) });
  }, 120_000);

  /** Monitors of the add-on itself. */
  const ofAddon = /PodMonitor observability\/argocd-/;

  it("has each object of today once, in the folder or by up, and none in both", async () => {
    const inFolder = objects.map(identityOf).filter((each) => !ofAddon.test(each));
    const byUp = run.resources
      .filter((resource) => isInCluster(resource) && ownerOf(resource) === "up")
      .filter(({ urn }) => !urn.includes("inference:argo-cd:ArgoCd"))
      .map(identityIn);
    expect(inFolder.filter((each) => byUp.includes(each))).toEqual([]);
    const shipped = await shippedRendering(name);
    const today = shipped.objects
      .map(identityOf)
      .filter((each) => each !== `argoproj.io/AppProject argocd/inference-${name}`);
    const together = [...inFolder, ...byUp];
    // What only a deployment knows is in no file while there is no cluster: up has it.
    const known = [...(shipped.files.get("README.md") ?? "").matchAll(/^- \w+ (\S+) is in no file/gm)].map(
      ([, object = ""]) => object,
    );
    const nameIn = (each: string) =>
      each.startsWith("Chart ") ? `${name}-${each.slice(6)}` : each.slice(each.indexOf("/", each.indexOf(" ")) + 1);
    expect(
      together
        .filter((each) => !today.includes(each))
        .map(nameIn)
        .toSorted(),
    ).toEqual(known.toSorted());
    // Secrets of receivers that are not set are in files alone, for a vault to fill.
    const missing = today.filter((each) => !together.includes(each));
    expect(missing.filter((each) => each !== "Secret observability/alertmanager-config")).toEqual([]);
    expect(new Set(together).size).toBe(together.length);
  });

  it("holds no namespace, no policy of one, no Secret and no permission in the whole cluster", () => {
    const kinds = new Set(objects.map(({ kind }) => kind));
    expect(
      [
        ...["Namespace", "NetworkPolicy", "Secret", "ExternalSecret", "AppProject"],
        ...["ClusterRole", "ClusterRoleBinding"],
      ].filter((kind) => kinds.has(kind)),
    ).toEqual([]);
    expect([...content.keys()].filter((path) => /secret/i.test(path))).toEqual([]);
  });

  it("leaves up with no kind whose definition comes with a chart of the folder", () => {
    const custom = run.resources
      .filter((resource) => isInCluster(resource) && ownerOf(resource) === "up" && resource.type !== HELM_RELEASE)
      .map(({ inputs }) => groupOf(String(inputs.apiVersion)))
      .filter((group) => !isBuiltIn(group));
    expect(custom.filter((group) => !OF_UPS_CHARTS.includes(group))).toEqual([]);
  });

  it("leaves up with a part that every policy takes by itself", () => {
    const said = ({ policy, resource, message }: ReportedViolation) => `${policy} ${resource} ${message}`;
    const whole = judge(run).violations.map(said);
    const resources = run.resources.filter((resource) => ownerOf(resource) === "up");
    const part = judge({ ...run, recording: { ...run.recording, resources } }).violations;
    const more = part.filter((violation) => violation.severity === "mandatory" && !whole.includes(said(violation)));
    expect(more).toEqual([]);
  });

  it("keeps the order of today", async () => {
    const before = new Map((await shippedRendering(name)).objects.map((object) => [identityOf(object), object]));
    const order = objects.flatMap((object) => {
      const earlier = before.get(identityOf(object));
      return earlier === undefined ? [] : [[waveOf(earlier), waveOf(object)] as const];
    });
    expect(order.length).toBeGreaterThan(objects.length / 2);
    const wrong = order.filter(([a, b]) => order.some(([c, d]) => a < c && b > d));
    expect(wrong).toEqual([]);
  });

  it("allows in its AppProjects what the folder has, and nothing else", () => {
    const spec = specOf(run, `inference-${name}-root`);
    const inWhole = objects.filter(({ metadata }) => metadata.namespace === undefined);
    const kinds = objects
      .filter((object) => !inWhole.includes(object))
      .map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`);
    const listed = (allowed: readonly { group: string; kind: string; name?: string }[]) =>
      allowed.map(({ group, kind, name }) => [group, kind, ...(name === undefined ? [] : [name])].join("/")).sort();
    expect(listed(spec.clusterResourceWhitelist)).toEqual(
      inWhole.map(({ apiVersion, kind, metadata }) => `${groupOf(apiVersion)}/${kind}/${metadata.name}`).sort(),
    );
    expect(listed(spec.namespaceResourceWhitelist)).toEqual([...new Set(kinds)].sort());
    expect(spec.sourceRepos).toEqual([REPOSITORY]);
    const namespaces = new Set(objects.flatMap(({ metadata: { namespace } }) => namespace ?? []));
    expect(spec.destinations.map(({ namespace }) => namespace)).toEqual([...namespaces].sort());
    expect(namespaces.has("argocd")).toBe(false);
    const root = run.deployment.ofKind("Application").find(({ inputs }) => inputs.spec !== undefined);
    // The destination itself must be allowed too: Argo CD takes one without a namespace for one in none.
    expect(spec.destinations).toContainEqual(Object(root?.inputs.spec).destination);

    const charts = objects.filter(({ kind }) => kind === "Application");
    const chartSpec = specOf(run, `inference-${name}`);
    const repositories = charts.map((chart) => Object(Object(chart.spec).source).repoURL as string);
    expect(chartSpec.sourceRepos).toEqual([...new Set(repositories)].sort());
    const targets = charts.map((chart) => Object(Object(chart.spec).destination).namespace as string);
    const allowed = chartSpec.destinations.map(({ namespace }) => namespace);
    expect(targets.filter((namespace) => !allowed.includes(namespace))).toEqual([]);
    expect(charts.every(({ metadata }) => metadata.namespace === "argocd-charts")).toBe(true);
  });
});

/** Groups of the charts that `up` installs itself. */
const OF_UPS_CHARTS = ["argoproj.io", "karpenter.sh", "karpenter.k8s.aws"];

interface ProjectSpec {
  readonly sourceRepos: readonly string[];
  readonly destinations: readonly { readonly namespace: string }[];
  readonly clusterResourceWhitelist: readonly {
    readonly group: string;
    readonly kind: string;
    readonly name?: string;
  }[];
  readonly namespaceResourceWhitelist: readonly { readonly group: string; readonly kind: string }[];
}

function specOf(run: ProgramRun, name: string): ProjectSpec {
  const found = run.deployment.ofKind("AppProject").find(({ inputs }) => Object(inputs.metadata).name === name);
  return found?.inputs.spec as ProjectSpec;
}

/** Application and Release, Secret and ExternalSecret count as one. */
function identityOf({ kind, apiVersion, metadata, spec }: ReadObject): string {
  if (kind === "Application" && Object(Object(spec).source).helm !== undefined) {
    return `Chart ${Object(Object(spec).source).helm.releaseName}`;
  }
  return kind === "ExternalSecret"
    ? `Secret ${metadata.namespace}/${metadata.name}`
    : `${groupOf(apiVersion)}/${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}

function identityIn({ type, inputs }: RecordedResource): string {
  const { name, namespace } = Object(inputs.metadata);
  if (type === HELM_RELEASE) {
    return `Chart ${inputs.name}`;
  }
  return type === SECRET
    ? `Secret ${namespace}/${name}`
    : `${groupOf(String(inputs.apiVersion))}/${inputs.kind} ${namespace ?? ""}/${name}`;
}
