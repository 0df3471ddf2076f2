import { beforeAll, describe, expect, it } from "vitest";
import { charts } from "../../catalog/charts";
import type { KubernetesObject } from "../../kubernetes/object";
import { modelNamespaceName } from "../../names/namespaces";
import type { RecordedResource } from "../../offline/run";
import { tenantsOf } from "../../planner/tenants";
import { makesPods, podsOf, recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { judge } from "../../report/judge";
import { isDeployable } from "../../report/result";
import { claimOf, metadataOf, networkPolicyOf, routedModels, workloadOf } from "./kubernetes";
import { environments, type ProgramRun, programRun } from "./run";

const STACK = "pulumi:pulumi:Stack";
const SECRET = "kubernetes:core/v1:Secret";
const SERVERS = /:(Deployment|StatefulSet|LeaderWorkerSet)$/;

/** What every environment has, whatever it declares. */
describe.each(environments)("%s", (name) => {
  let run: ProgramRun;
  beforeAll(async () => {
    run = await programRun(name);
  });

  it("is deployable: nothing forbids it, and advice is advisory", () => {
    const verdict = judge(run);
    expect(verdict.violations.filter((v) => v.severity !== "advisory")).toEqual([]);
    expect(isDeployable(verdict)).toBe(true);
    expect(verdict.policies.failed).toBe(0);
    expect(verdict.policies.passed).toBeGreaterThan(10);
  });

  it("makes these resources", async () => {
    await expect(`${run.deployment.tree()}\n`).toMatchFileSnapshot(`__snapshots__/${name}.tree.txt`);
  });

  it("registers the same resources in a preview, where no id is known", async () => {
    const preview = await programRun(name, { preview: true });
    expect(urns(preview)).toEqual(urns(run));
  });

  it("has nothing but components, and the provider of AWS, below the stack", () => {
    const stack = run.resources.find((r) => r.type === STACK);
    const top = run.resources.filter((r) => r.parent === stack?.urn).map((r) => r.type);
    const { kind, provision } = run.environment.cluster;
    const maker = provision === "create" ? { oci: "Oke", aws: "Eks", edge: "K3s" }[String(kind)] : "Existing";
    // States hold its URN: docs/decisions/0051-one-provider-of-aws.md.
    const provider = maker === "Eks" ? ["pulumi:providers:aws"] : [];
    expect(top).toEqual([...provider, `inference:cluster:${maker}Cluster`, "inference:platform:Platform"]);
  });

  it("talks to one cluster, through one provider", () => {
    const kubernetes = run.resources.filter((r) => r.custom && r.type.startsWith("kubernetes:"));
    const [provider] = run.deployment.ofType("pulumi:providers:kubernetes");
    expect(new Set(kubernetes.map((r) => r.provider?.split("::").slice(0, -1).join("::")))).toEqual(
      new Set([provider?.urn]),
    );
  });

  it("gives each model a closed, restricted namespace, a disruption budget where it says something, and a route", () => {
    const namespaces = run.deployment.ofType("kubernetes:core/v1:Namespace").map(metadataOf);
    const policies = run.deployment.ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy");
    const budgets = run.deployment.ofType("kubernetes:policy/v1:PodDisruptionBudget").map(metadataOf);
    // By the model field of a request, or by a path of their own.
    const paths = run.deployment.ofKind("HTTPRoute").map((route) => metadataOf(route).name.split(/^kserve-/)[1]);
    const routes = [
      ...run.deployment.ofKind("AIGatewayRoute").flatMap(routedModels),
      ...paths.filter((name) => name !== undefined),
    ];
    const models = Object.keys(run.environment.models);
    expect(run.plan.models.map((m) => m.name)).toEqual(models);
    for (const model of models) {
      const namespace = modelNamespaceName(model);
      expect(namespaces.find((n) => n.name === namespace)?.labels).toMatchObject({
        "pod-security.kubernetes.io/enforce": "restricted",
        "inference-stacks.io/model": model,
      });
      const closed = policies
        .filter((p) => metadataOf(p).namespace === namespace && metadataOf(p).name === "default-deny")
        .map(networkPolicyOf);
      expect(closed).toMatchObject([{ podSelector: {}, policyTypes: ["Ingress", "Egress"] }]);
      const server = run.resources.find((r) => SERVERS.test(r.type) && metadataOf(r).name === namespace);
      expect(budgets.filter((b) => b.namespace === namespace)).toHaveLength(server && isSinglePod(server) ? 0 : 1);
      expect(routes).toContain(run.environment.models[model]?.servedName ?? model);
    }
    // And one for whatever has come to an engine since.
    expect(routes.filter((name) => name !== ".+")).toHaveLength(models.length);
  });

  it("gives each consumer an API key that is a secret", () => {
    for (const { name: consumer } of tenantsOf(run.environment.gateway.consumers)) {
      const [secret] = run.deployment.ofType(SECRET).filter((s) => metadataOf(s).name === `consumer-${consumer}`);
      expect(secret?.secretInputs).toEqual(["stringData"]);
    }
  });

  it("marks the content of every Secret as secret", () => {
    const open = run.deployment.ofType(SECRET).filter((s) => !s.secretInputs.includes("stringData"));
    expect(open.map((s) => s.name)).toEqual([]);
  });

  it("installs charts at their version in the catalogue only", () => {
    const releases = run.deployment.ofType("kubernetes:helm.sh/v3:Release");
    expect(releases.length).toBeGreaterThan(0);
    const pinned = charts.map(({ chart, repository, version }) => ({
      chart: repository.startsWith("oci://") ? repository : chart,
      version,
    }));
    for (const { inputs } of releases) {
      expect(pinned).toContainEqual({ chart: inputs.chart, version: inputs.version });
    }
  });

  it("protects what holds data in production, with its namespace, and nothing in development", () => {
    const production = run.plan.stage === "production";
    const kept = run.resources.filter((r) => r.options.protect || r.options.retainOnDelete).map((r) => r.name);
    const holders = [
      ...(run.environment.cluster.provision === "create"
        ? (PROTECTED_OF_CLUSTERS[run.environment.cluster.kind] ?? [])
        : []),
      "platform-store-ns-namespace",
      "platform-store-minio-data",
      "platform-observability-metrics-namespace-namespace",
    ];
    expect(kept).toEqual(production ? holders : []);
  });

  it("guarantees GPU pods whole CPUs: all containers ask for their limits, the engine for no part of a core", () => {
    // Trials of an RDMA network are no engines, and share CPUs on purpose (components/gpu/fabric-trial.ts).
    const ofEngines = recordedObjects(run.resources).filter((object) => makesPods(object) && object.kind !== "CronJob");
    const pods = ofEngines.flatMap(podsOf).map(containersOf);
    const onGpus = pods.filter((containers) => containers.some(hasGpu));
    // A replica that spans nodes has two kinds of pods.
    const planned = run.plan.models.flatMap((model) =>
      model.gpusPerNode > 0 ? Array.from({ length: Math.min(2, model.nodesPerReplica) }, () => model.resources) : [],
    );
    expect(onGpus).toHaveLength(planned.length);
    for (const containers of onGpus) {
      for (const { resources } of containers) {
        expect(resources.limits).toMatchObject({ cpu: expect.any(String), memory: expect.any(String) });
        expect(resources.requests).toEqual(resources.limits);
      }
      expect(containers.filter(hasGpu).map(({ resources }) => resources.limits.cpu)).toEqual([
        expect.stringMatching(/^[1-9]\d*$/),
      ]);
    }
  });

  it("puts every volume on the environment's storage class", () => {
    const { deployment } = run;
    const templates = deployment
      .ofType("kubernetes:apps/v1:StatefulSet")
      .flatMap((set) => workloadOf(set).volumeClaimTemplates.map(({ spec }) => spec));
    const claims = deployment.ofType("kubernetes:core/v1:PersistentVolumeClaim").map(claimOf);
    expect(claims.length).toBeGreaterThan(0);
    expect(new Set([...templates, ...claims].map((claim) => claim.storageClassName))).toEqual(
      new Set(STORAGE_CLASSES[name]),
    );
  });

  it("outputs the address, a first call per model, and the cost", () => {
    const { hostname } = run.environment.gateway;
    expect(run.recording.outputs).toMatchObject({
      address: `https://${hostname}`,
      consumerSecrets: Object.fromEntries(
        tenantsOf(run.environment.gateway.consumers).map(({ name: c }) => [c, `consumer-${c}`]),
      ),
      monthlyUsd: run.plan.cost.monthlyUsd,
    });
    expect(Object.keys(Object(run.recording.outputs.models))).toEqual(Object.keys(run.environment.models));
  });
});

const PROTECTED_OF_CLUSTERS: Readonly<Record<string, readonly string[]>> = {
  oci: [
    "cluster-keys-vault",
    "cluster-keys-secrets",
    "cluster-keys-volumes",
    "cluster-control-plane",
    "platform-volumes-class",
  ],
  aws: ["cluster-keys-secrets", "cluster-keys-volumes", "cluster-control-plane-cluster", "platform-volumes-class"],
};

/** Where the pages in docs/environments say that volumes go; `undefined` is the cluster's default class. */
const STORAGE_CLASSES: Readonly<Record<(typeof environments)[number], readonly (string | undefined)[]>> = {
  dev: [undefined],
  "oci-a10": ["inference-encrypted"],
  "oci-h100": ["inference-encrypted"],
  "aws-prod": ["inference-encrypted", "inference-encrypted-cache"],
  "edge-nvidia": ["local-path"],
  "edge-radeon": ["local-path"],
};

interface Container {
  readonly resources: { readonly requests: Record<string, string>; readonly limits: Record<string, string> };
}

function containersOf(pod: KubernetesObject): Container[] {
  const { containers, initContainers = [] } = pod.spec as { containers: Container[]; initContainers?: Container[] };
  return [...initContainers, ...containers];
}

function hasGpu({ resources }: Container): boolean {
  return Object.keys(resources.limits).some((name) => name.endsWith(".com/gpu"));
}

function urns({ resources }: ProgramRun): string[] {
  return resources.map((r) => r.urn).sort();
}

/** One pod, which nobody scales: a budget would allow every eviction. A group of pods on several nodes is more than one. */
function isSinglePod({ type, inputs, options }: RecordedResource): boolean {
  const { replicas } = inputs.spec as { replicas: number };
  return replicas === 1 && type.startsWith("kubernetes:apps/") && !options.ignoreChanges.includes("spec.replicas");
}
