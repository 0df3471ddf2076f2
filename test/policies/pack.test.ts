import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { image } from "../../catalog/images";
import { policies } from "../../policies/all";
import { evaluatePolicies, type RecordedInputs } from "../../policies/evaluate";
import { memoryVerdict } from "../harness/plans";
import {
  container,
  deployment,
  gpuContainer,
  HOMES,
  object,
  plan,
  podSpec,
  release,
  resource,
  UNKNOWN,
  workload,
} from "./cases";
import { PackServer } from "./pack-server";

const ROOT = join(__dirname, "../..");
const POLICIES = join(ROOT, "policies");
const BUNDLE = join(ROOT, ".cache", `policy-bundle-${process.pid}`);

describe("the pack, loaded by Pulumi's own runner", () => {
  let server: PackServer;
  beforeAll(async () => {
    server = await PackServer.start(POLICIES);
  }, 90_000);
  afterAll(() => server.stop());

  test("announces every policy", async () => {
    const info = await server.info();
    expect(info.getName()).toBe("inference-stacks");
    expect(info.getPoliciesList().map((policy) => policy.getName())).toEqual(policies.map(({ name }) => name));
  });

  test("finds a GPU that is claimed twice", async () => {
    const pod = HOMES.Pod?.({
      spec: podSpec({ containers: [gpuContainer(), gpuContainer("1", { name: "sidecar" })] }),
    });
    const { violations } = await server.judge(pod ? [pod] : []);
    expect(violations.filter((line) => line.startsWith("gpu-claimed-once"))).toEqual([
      expect.stringContaining(
        'Pod "model-chat/chat": spec.containers[1].resources.limits["nvidia.com/gpu"] claims GPUs a second time',
      ),
    ]);
  });

  test.each(Object.entries(samples()))("says of %s what the plan says in process", async (_, resources) => {
    const offline = evaluatePolicies(resources, { project: "inference-stacks", stack: "test" });
    const served = await server.judge(resources);
    expect(served.violations).toEqual(
      offline.violations.map((v) => `${v.policy} | ${v.resource} | ${v.message}`).sort(),
    );
    expect(served.undecided).toEqual(offline.undecided.map(({ policy, reason }) => `${policy} | ${reason}`).sort());
    // What belongs to a provider that cannot be configured yet has no outputs.
    expect(await server.judge(resources, () => ({}))).toEqual(served);
  });

  test("finds nothing missing where the engine tells neither inputs nor outputs", async () => {
    const resources = (samples()["a bad stack"] ?? []).map((each) => ({ ...each, urn: `${each.urn}-left-out` }));
    const { violations } = await server.judge(
      resources,
      () => ({}),
      () => ({}),
    );
    // That is a resource of its own, of which the engine would have told.
    expect(violations.filter((line) => !line.includes("has no public access block"))).toEqual([]);
  });
});

describe("the pack as one bundle, for publishing", () => {
  let server: PackServer;
  let sources: string[];
  beforeAll(async () => {
    mkdirSync(BUNDLE, { recursive: true });
    const { metafile } = await build({
      entryPoints: [join(POLICIES, "index.ts")],
      bundle: true,
      platform: "node",
      packages: "external",
      outfile: join(BUNDLE, "main.cjs"),
      metafile: true,
      logLevel: "silent",
      absWorkingDir: ROOT,
    });
    sources = Object.keys(metafile.inputs);
    for (const file of ["package.json", "PulumiPolicy.yaml"]) {
      cpSync(join(POLICIES, file), join(BUNDLE, file));
    }
    server = await PackServer.start(BUNDLE);
  }, 90_000);
  afterAll(() => {
    server.stop();
    rmSync(BUNDLE, { recursive: true, force: true });
  });

  test("answers like the sources", async () => {
    expect((await server.info()).getPoliciesList()).toHaveLength(policies.length);
  });

  test("takes from the program only the ground rooms, what the catalogue says of images and the variables of vLLM, no resource code", () => {
    const outside = sources.filter((file) => relative(POLICIES, join(ROOT, file)).startsWith(".."));
    const above = outside.filter((file) => !file.startsWith("names/") && !file.startsWith("kubernetes/"));
    expect(above.toSorted()).toEqual([
      "catalog/chart-archive.ts",
      "catalog/chart-images.json",
      "catalog/charts.json",
      "catalog/engine-options/vllm.json",
      "catalog/image-mirror.ts",
      "catalog/image-reference.ts",
      "catalog/images.json",
    ]);
  });
});

/** Stacks that break every policy, that break none, and whose values a preview does not know. */
function samples(): Record<string, RecordedInputs[]> {
  const named = (resources: RecordedInputs[]) =>
    resources.map((r, index) => ({ ...r, name: `r${index}`, urn: `${r.urn}-${index}` }));
  const namespace = (name: string) =>
    object("core/v1", "Namespace", {}, { name, labels: { "pod-security.kubernetes.io/enforce": "restricted" } });
  return {
    "a bad stack": named([
      object("core/v1", "Namespace", {}, { name: "model-b", labels: { "istio-injection": "disabled" } }),
      plan({
        cost: { monthlyUsd: 2, monthlyBudgetUsd: 1 },
        models: [
          {
            name: "chat",
            memoryPerGpu: { totalGiB: 2, limitGiB: 1 },
            verdict: memoryVerdict(),
            maxReplicas: 1,
            speed: { neededReplicas: 2, headroom: -1, sure: false, basis: "same-card" },
          },
          {
            name: "near",
            memoryPerGpu: { totalGiB: 1, limitGiB: 1 },
            verdict: memoryVerdict(),
            maxReplicas: 1,
            speed: { neededReplicas: 1, headroom: 0.1, sure: false, basis: "same-card" },
          },
        ],
        pools: [{ name: "arm", role: "system", cpuArch: "arm64", selector: {}, taints: [] }],
      }),
      namespace("model-chat"),
      ...Object.values(HOMES).map((home) =>
        home({
          spec: {
            hostNetwork: true,
            containers: [gpuContainer("0.5", { image: "x", env: [{ name: "HF_TOKEN", value: "abc" }] }), { name: "b" }],
          },
        }),
      ),
      deployment(podSpec({ containers: [container({ image: image("tgi") })] })),
      deployment(podSpec({ containers: [container({ resources: { limits: { "nvidia.com/gpu.shared": "1" } } })] })),
      object("core/v1", "Service", { spec: { type: "LoadBalancer" } }),
      object("gateway.networking.k8s.io/v1", "HTTPRoute", { spec: { parentRefs: [{ name: "inference" }] } }),
      workload("autoscaling/v2", "HorizontalPodAutoscaler", { scaleTargetRef: { kind: "Deployment", name: "chat" } }),
      workload("keda.sh/v1alpha1", "ScaledObject", { scaleTargetRef: { name: "chat" } }),
      object("rbac.authorization.k8s.io/v1", "ClusterRole", {
        rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      }),
      release({
        chart: "keda",
        version: "~1",
        namespace: "default",
        values: { adminPassword: "x", image: { tag: "latest" }, auth: { enabled: false } },
      }),
      object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", {
        spec: { validationActions: ["Audit"] },
      }),
      object("gateway.envoyproxy.io/v1alpha1", "EnvoyPatchPolicy", { spec: {} }),
      object("gateway.envoyproxy.io/v1alpha1", "Backend", { spec: { type: "DynamicResolver" } }),
      object("security.istio.io/v1", "PeerAuthentication", { spec: { mtls: { mode: "DISABLE" } } }),
      deployment(podSpec({ nodeName: "a" })),
      resource("aws:ec2/launchTemplate:LaunchTemplate", { metadataOptions: { httpTokens: "optional" } }),
      resource("command:remote:Command", { connection: { host: "a" } }),
      resource("aws:ram/resourceShare:ResourceShare", { allowExternalPrincipals: true }),
      resource("aws:s3/bucket:Bucket", { acl: "public-read" }),
      resource("aws:eks/cluster:Cluster", { vpcConfig: {} }),
      resource("oci:ObjectStorage/bucket:Bucket", { accessType: "ObjectRead" }),
      resource("oci:Identity/policy:Policy", { statements: ["Allow any-user to manage all-resources in tenancy"] }),
      resource("aws:iam/policy:Policy", {
        policy: JSON.stringify({ Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] }),
      }),
      resource("kubernetes:storage.k8s.io/v1:StorageClass", {
        metadata: { name: "a" },
        provisioner: "ebs.csi.aws.com",
      }),
    ]),
    "a good stack": named([
      plan(),
      namespace("model-chat"),
      object(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        { spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] } },
        { namespace: "model-chat" },
      ),
      deployment(podSpec({ containers: [container()] })),
      release({}),
    ]),
    "a preview": named([
      plan(),
      deployment(
        podSpec({
          containers: [container({ image: UNKNOWN, env: [{ name: "HF_TOKEN", value: UNKNOWN }] })],
          nodeSelector: UNKNOWN,
        }),
      ),
      workload("apps/v1", "StatefulSet", { template: { spec: UNKNOWN }, volumeClaimTemplates: UNKNOWN }, UNKNOWN),
      release({ version: UNKNOWN, values: UNKNOWN }),
      resource("oci:ObjectStorage/bucket:Bucket", { kmsKeyId: UNKNOWN, accessType: UNKNOWN }, { protect: true }),
      resource("oci:Identity/policy:Policy", { statements: [UNKNOWN] }),
      resource("aws:iam/policy:Policy", { policy: UNKNOWN }),
      resource("aws:eks/cluster:Cluster", { vpcConfig: UNKNOWN, encryptionConfig: UNKNOWN }),
    ]),
  };
}

test("the bad sample breaks every policy", () => {
  const { violations } = evaluatePolicies(samples()["a bad stack"] ?? [], {
    project: "inference-stacks",
    stack: "test",
  });
  const broken = new Set(violations.map(({ policy }) => policy));
  expect(policies.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
});
