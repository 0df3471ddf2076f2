/** What is rendered of each environment that the repository ships. */
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { groupOf, isBuiltIn } from "../../kubernetes/object";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { isInCluster, SECRET } from "../../render/kubernetes-object";
import { absentSecretsOf } from "../../stacks/receiver-secrets";
import { useFolder } from "../cli/run";
import { absentDefaults } from "../harness/crd-defaults";
import { crdProblems } from "../harness/crds";
import { environments, type ProgramRun, programRun } from "../stacks/run";
import { configured } from "./argo-cd/customizations";
import { exists, secret, served } from "./argo-cd/facts";
import { CRD_CHARTS, HEALTH } from "./argo-cd/health";
import { LATER_HEALTH } from "./argo-cd/later-health";
import { sync } from "./argo-cd/sync";
import { contentOf, objectOf, type ReadObject, renderShipped, shippedRendering, waveOf } from "./run";

const folder = useFolder();

it("aws-prod, the largest, gives the same bytes again", async () => {
  const again = join(folder, "again");
  expect((await renderShipped("aws-prod", again)).status).toBe(0);
  expect(contentOf(again)).toEqual((await shippedRendering("aws-prod")).files);
});

describe.each(environments)("%s", (name) => {
  let content: ReadonlyMap<string, string>;
  let objects: readonly ReadObject[];
  let run: ProgramRun;
  beforeAll(async () => {
    const shipped = await shippedRendering(name);
    expect([shipped.status, shipped.err]).toEqual([0, ""]);
    content = shipped.files;
    objects = shipped.objects;
    run = await programRun(name);
  }, 60_000);

  it("holds every object and chart of the program once, and nothing else but what GitOps needs", () => {
    const made = renderedOf(run).map(({ type, inputs }) => {
      const kind = type === HELM_RELEASE ? "Application" : type === SECRET ? "ExternalSecret" : inputs.kind;
      const { name: object, namespace } = Object(inputs.metadata);
      return type === HELM_RELEASE ? `${kind} argocd/${name}-${inputs.name}` : `${kind} ${namespace ?? ""}/${object}`;
    });
    // Receivers of alerts have their secrets once they are set; what is rendered asks the vault for them.
    const isAsked = Object.keys(absentSecretsOf(run.environment, [])).length > 0;
    const receivers = isAsked ? ["ExternalSecret observability/alertmanager-config"] : [];
    const added = [`AppProject argocd/inference-${name}`, ...receivers];
    const rendered = objects.map(identity);
    expect(rendered.toSorted()).toEqual([...made, ...added].toSorted());
  });

  it("holds no Secret, no stand-in and no cipher, in no file", () => {
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
    for (const text of content.values()) {
      expect(text).not.toMatch(/offline-|v1:[A-Za-z0-9+/=]{8}|\(secret\)/);
    }
  });

  it("takes every secret value from the store, at a place that is listed", () => {
    const listed = new Set(
      (parse(content.get("secrets.yaml") ?? "").secrets as StoreKey[]).flatMap(({ key, properties }) =>
        properties.map((property) => `${key} ${property.name}`),
      ),
    );
    const used = objects.filter(({ kind }) => kind === "ExternalSecret").flatMap(remoteReferences);
    expect(new Set(used)).toEqual(listed);
    expect(used.length).toBeGreaterThan(listed.size);
    expect([...listed].every((place) => place.startsWith(`${name}/`))).toBe(true);
    for (const place of listed) {
      expect(content.get("SECRETS.md")).toContain(`| \`${place.replace(" ", "` | `")}\` |`);
    }
  });

  it("has custom resources that their CRDs accept", () => {
    const problems = objects
      .filter(({ apiVersion }) => !isBuiltIn(groupOf(apiVersion)))
      .flatMap(({ path, ...object }) => crdProblems(object).map((problem) => `${path}: ${problem}`));
    expect(problems).toEqual([]);
  });

  it("labels every object, and says who manages it", () => {
    for (const { path, metadata } of objects) {
      expect({ path, labels: metadata.labels }).toEqual({
        path,
        labels: expect.objectContaining({
          "app.kubernetes.io/name": expect.stringMatching(/./),
          "app.kubernetes.io/instance": expect.stringMatching(/./),
          "app.kubernetes.io/part-of": "inference-stacks",
          "app.kubernetes.io/managed-by": "gitops",
        }),
      });
    }
  });

  it("says on each network policy why it is there", () => {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    expect(policies.length).toBeGreaterThan(20);
    for (const { path, metadata } of policies) {
      expect({ path, why: metadata.annotations["kubernetes.io/description"] }).toEqual({
        path,
        why: expect.stringMatching(/^\S.{9,}[^.]$/),
      });
    }
  });

  it("holds no empty field but those that mean something, and the plan in lines", () => {
    for (const [path, text] of content) {
      const empty =
        text.match(/^[ -]*[A-Za-z]+: (\{\}|\[\]|null)$/gm)?.map((line) => line.replaceAll(/[ -]/g, "")) ?? [];
      expect({ path, empty: empty.filter((line) => !MEANT_EMPTY.has(line)) }).toEqual({ path, empty: [] });
    }
    const record = content.get(objectOf(objects, "ConfigMap", "inference-plan").path);
    expect(record).toMatch(/^ {2}plan\.json: \|\n {4}\{\n {6}"environment": /m);
  });

  it("writes out what the API server would write into atomic lists, so that what is synced stays Synced", () => {
    const absent = objects
      .filter(({ apiVersion }) => !isBuiltIn(groupOf(apiVersion)))
      .flatMap(({ path, ...object }) => absentDefaults(object).map((found) => `${path}: ${found}`));
    expect(absent).toEqual([]);
    for (const chart of objects.filter(({ kind }) => kind === "Application")) {
      expect(chart.metadata.annotations["argocd.argoproj.io/compare-options"]).toBe("ServerSideDiff=true");
    }
  });

  it("puts each object into its namespace's folder, named after wave, kind and name", () => {
    for (const object of objects) {
      const file = `${String(waveOf(object)).padStart(2, "0")}-${object.kind.toLowerCase()}-${object.metadata.name}.yaml`;
      expect(object.path).toBe(`${object.metadata.namespace ?? "cluster"}/${file}`);
    }
  });

  it("lists every object in the kustomizations, namespaces first", () => {
    const root = parse(content.get("kustomization.yaml") ?? "");
    expect(root.resources[0]).toBe("cluster");
    const listed = (root.resources as string[]).flatMap((space) =>
      (parse(content.get(`${space}/kustomization.yaml`) ?? "").resources as string[]).map((file) => `${space}/${file}`),
    );
    expect(listed.toSorted()).toEqual(objects.map(({ path }) => path).toSorted());
  });

  it("applies a namespace, and what fences it, before anything that runs in it", () => {
    const theirs = ["argocd", ...NAMESPACES_OF_ADDONS];
    for (const object of objects.filter(({ metadata: { namespace } }) => namespace && !theirs.includes(namespace))) {
      const space = objectOf(objects, "Namespace", object.metadata.namespace ?? "");
      expect(waveOf(space)).toBeLessThan(waveOf(object));
    }
    for (const workload of objects.filter(({ kind }) => WORKLOADS.has(kind))) {
      const fences = objects.filter(
        ({ kind, metadata }) => FENCES.has(kind) && metadata.namespace === workload.metadata.namespace,
      );
      expect(fences.length).toBeGreaterThan(3);
      expect(Math.max(...fences.map(waveOf))).toBeLessThan(waveOf(workload));
    }
  });

  it("installs the chart that brings a CRD before the custom resources", () => {
    const custom = objects.filter(
      ({ apiVersion }) =>
        !isBuiltIn(groupOf(apiVersion)) &&
        !apiVersion.includes(PREREQUISITE) &&
        !GROUPS_OF_ADDONS.includes(groupOf(apiVersion)),
    );
    expect(custom.length).toBeGreaterThan(10);
    for (const object of custom.filter(({ apiVersion }) => !apiVersion.startsWith("argoproj.io/"))) {
      const release = CRD_CHARTS.find(([group]) => object.apiVersion.startsWith(`${group}/`))?.[1];
      expect([object.apiVersion, release]).toEqual([object.apiVersion, expect.any(String)]);
      expect(waveOf(objectOf(objects, "Application", `${name}-${release}`))).toBeLessThan(waveOf(object));
    }
  });

  it("becomes healthy in Argo CD wave by wave, when what docs/gitops.md names exists before", () => {
    const { tls } = run.environment.gateway;
    const given = [
      ...(tls.kind === "secret" ? [secret(tls.secretName, "inference-gateway")] : []),
      ...NAMESPACES_OF_ADDONS.map((space) => exists("Namespace", space)),
      ...GROUPS_OF_ADDONS.map(served),
    ];
    for (const rules of [HEALTH, LATER_HEALTH]) {
      expect(sync(objects, given, configured(rules))).toEqual([]);
    }
  });

  it("starts pods after the certificates that they mount, and a claim with its first pod", () => {
    const minio = objectOf(objects, "StatefulSet", "minio");
    expect(waveOf(objectOf(objects, "Certificate", "minio"))).toBeLessThan(waveOf(minio));
    for (const claim of objects.filter(({ kind }) => kind === "PersistentVolumeClaim")) {
      const { name, namespace } = claim.metadata;
      const mounting = objects.filter(
        (object) => object.metadata.namespace === namespace && JSON.stringify(object).includes(`"claimName":"${name}"`),
      );
      expect(waveOf(claim), `claim ${name}`).toBe(Math.min(...mounting.map(waveOf)));
    }
  });

  it("fills the model store before the models that read from it", () => {
    const jobs = objects.filter(({ kind, programName }) => kind === "Job" && programName.startsWith("sync-"));
    for (const job of jobs) {
      expect(waveOf(objectOf(objects, "Job", "provisioning"))).toBeLessThan(waveOf(job));
      const model = job.programName.slice("sync-".length);
      const servers = objects.filter(
        ({ kind, metadata }) =>
          SERVERS.has(kind) && metadata.namespace === `model-${model}` && metadata.name !== "ray-state",
      );
      expect(servers).toHaveLength(1);
      expect(servers.every((server) => waveOf(server) > waveOf(job))).toBe(true);
    }
  });

  it("has pods and claims as the program makes them, so that none restarts when a platform moves to GitOps", () => {
    const labelsOf = (value: unknown): unknown[] =>
      typeof value === "object" && value !== null
        ? [...("labels" in value ? [value.labels] : []), ...Object.values(value).flatMap(labelsOf)]
        : [];
    const workloads = objects.filter(({ kind }) => WORKLOADS.has(kind));
    expect(workloads.length).toBeGreaterThan(3);
    for (const { kind, metadata, programName, spec } of workloads) {
      const made = run.resources.find(
        ({ inputs }) =>
          inputs.kind === kind &&
          Object(inputs.metadata).name === programName &&
          Object(inputs.metadata).namespace === metadata.namespace,
      );
      expect([metadata.name, labelsOf(spec)]).toEqual([metadata.name, labelsOf(made?.inputs.spec)]);
    }
  });

  it("keeps what production protects, and nothing for Pulumi alone", () => {
    expect([...content.values()].join("")).not.toMatch(/pulumi\.com\//);
    const kept = renderedOf(run).filter((r) => r.options.protect || r.options.retainOnDelete);
    const metadata = kept.map(({ inputs }) => Object(inputs.metadata));
    const expected = kept.map(({ inputs }, k) => `${inputs.kind} ${metadata[k].namespace ?? ""}/${metadata[k].name}`);
    const around = metadata.flatMap(({ namespace }) => (namespace === undefined ? [] : `Namespace /${namespace}`));
    const keeping = objects.filter((object) =>
      object.metadata.annotations["argocd.argoproj.io/sync-options"]?.startsWith("Delete=false,Prune=false"),
    );
    expect(keeping.map(identity).toSorted()).toEqual([...new Set([...expected, ...around])].toSorted());
  });
});

/**
 * What files can hold before a deployment: not the class of volumes under a key that the cluster's stack makes, and of AWS
 * neither what machines boot from nor the controllers that are told their queue and network.
 */
function renderedOf({ resources }: ProgramRun) {
  return resources.filter(
    (resource) =>
      isInCluster(resource) &&
      !["StorageClass", "EC2NodeClass"].includes(String(resource.inputs.kind)) &&
      !(resource.type === HELM_RELEASE && OF_AWS.has(String(resource.inputs.name))),
  );
}

const OF_AWS: ReadonlySet<string> = new Set(["karpenter", "aws-load-balancer-controller"]);

interface StoreKey {
  readonly key: string;
  readonly properties: readonly { readonly name: string }[];
}

/** All pods, a scratch volume, an issuer without settings, settings of a user who gave none, everybody. */
const MEANT_EMPTY = new Set([
  "podSelector:{}",
  "namespaceSelector:{}",
  "emptyDir:{}",
  "selfSigned:{}",
  "data:{}",
  "from:[]",
  // OpenAI's error object has the field, whether it names a parameter or not.
  "param:null",
]);
const PREREQUISITE = "external-secrets.io/";
/** What a cloud's add-ons bring with the cluster: docs/gitops.md names them. */
const NAMESPACES_OF_ADDONS = ["nvidia-network-operator"];
const GROUPS_OF_ADDONS = ["sriovnetwork.openshift.io", "nv-ipam.nvidia.com"];
const WORKLOADS = new Set(["Deployment", "StatefulSet", "Job", "LeaderWorkerSet", "RayService"]);
const SERVERS = new Set(["Deployment", "StatefulSet", "LeaderWorkerSet", "RayService"]);
const FENCES = new Set([
  "NetworkPolicy",
  "LimitRange",
  "ResourceQuota",
  "ServiceAccount",
  "ConfigMap",
  "ExternalSecret",
]);
function identity({ kind, metadata, programName }: ReadObject): string {
  return `${kind} ${metadata.namespace ?? ""}/${programName}`;
}

function remoteReferences({ spec }: ReadObject): string[] {
  const { data = [] } = Object(spec);
  return (data as { remoteRef: { key: string; property: string } }[]).map(
    ({ remoteRef }) => `${remoteRef.key} ${remoteRef.property}`,
  );
}
