import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, type End, podsIn } from "../../components/core/connections";
import { internet, toKubernetesApi } from "../../components/core/network";
import { networkPolicySpec } from "../../components/core/network-policies";
import { describeObject, type KubernetesObject } from "../../kubernetes/object";
import { messageOf } from "../../names/message-of";
import { admissionReady } from "../../rehearsal/cluster/admission";
import type { ApiClient } from "../../rehearsal/cluster/api-client";
import { chartsWithCrds, installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { addRuntimeClass } from "../../rehearsal/cluster/existing-parts";
import {
  foreignNamespacesOf,
  kindsOf,
  makesPods,
  podsOf,
  recordedObjects,
} from "../../rehearsal/cluster/recorded-objects";
import { changedRun, environments, type ProgramRun, programRun } from "../stacks/run";
import { filesOfHost, k3sServerArgs } from "./edge/k3s-server-args";

/** What the API server said about one object: a refusal, or warnings. */
interface Verdict {
  readonly refusals: readonly string[];
  readonly warnings: readonly string[];
}

/** All that an environment may add to its objects, on the one that has groups of nodes, their RDMA and ACME. */
function withEveryOption(): Promise<ProgramRun> {
  const folder = mkdtempSync(join(tmpdir(), "options-"));
  writeFileSync(join(folder, "chat.jinja"), "{{ messages }}");
  const caFile = join(__dirname, "../fixtures/certificates/example-ca.pem");
  const registrar = { url: "https://registrar.example.com/api", secretKey: "registrarApiKey", caFile };
  const nodes = {
    "inference-cluster": { model: "llama-405b", registrar },
    answers: { model: "qwen-7b", registrar },
  };
  const options = {
    vllm: { toolCalling: true, chatTemplate: "chat.jinja" },
    args: { "enable-prefix-caching": false, "cudagraph-capture-sizes": [1, 2], "limit-mm-per-prompt": { image: 1 } },
    env: { NCCL_DEBUG: "INFO", NOTE: "$(HOME)" },
  };
  const models = {
    "llama-405b": {
      model: "llama-3.1-405b-instruct",
      contextTokens: 16_384,
      concurrency: 16,
      pools: ["h100"],
      ...options,
    },
    "qwen-7b": { model: "qwen2.5-7b-instruct", concurrency: 6, pools: ["a10"], ...options },
    partner: {
      engine: "external",
      external: {
        url: "https://llm.partner.example/openai/v1",
        model: "gpt-small",
        secretKey: "partnerApiKey",
        networks: ["10.99.0.0/28"],
        caFile,
      },
    },
    provider: { engine: "external", external: { url: "https://api.example.com/v1" } },
  };
  const secret = { secure: "v1:never-read" };
  const images = { mirror: "registry.example.com/mirror" };
  const pools = {
    system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3 },
    h100: {
      shape: "BM.GPU.H100.8",
      minNodes: 2,
      availabilityDomains: [1],
      rdma: { mode: "managed", access: "virtual-functions" },
      image: "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc",
    },
    a10: { shape: "BM.GPU.A10.4", availabilityDomains: [1] },
    // What its device plugins are told lies in the namespace of Oracle's operator.
    turns: { shape: "VM.GPU.A10.1", availabilityDomains: [1], sharing: { timeSlicing: { replicas: 4 } } },
  };
  const secrets = { registryCredentials: secret, partnerApiKey: secret, registrarApiKey: secret };
  return changedRun("oci-h100", { pools, models, nodes, images, ...secrets }, folder);
}

/** An environment in a mesh whose proxies look at tokens and count requests: all kinds of Istio's that the platform makes. */
function inMesh(mode: "ambient" | "sidecar"): Promise<ProgramRun> {
  const gateway = {
    hostname: "inference.example.com",
    tls: { kind: "acme", email: "platform@example.com" },
    consumers: ["web-app", "batch"],
    auth: { oidc: { issuer: "https://login.example.com/realms/platform", audience: "inference" } },
  };
  const mesh = { mode, ...(mode === "sidecar" && { egressHosts: ["api.example.com"] }) };
  return changedRun("aws-prod", {
    gateway,
    mesh,
    cluster: { kind: "aws", storageClass: "gp3", gpuSoftware: "platform" },
  });
}

const GITOPS = {
  engine: "argo-cd",
  acknowledgeClusterAdmin: true,
  repository: "https://git.example.com/platform/gitops.git",
  path: "clusters/edge-nvidia",
};
const SECRET = { secure: "v1:never-read" };
const PORTAINER = { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] };
const RANCHER = {
  acknowledgeClusterAdmin: true,
  url: "https://rancher.example.internal",
  networks: ["192.168.1.31/32"],
};
/** What others manage a node by, together: each makes objects of its own. */
const MANAGED = { gitops: GITOPS, gitopsToken: SECRET, portainer: PORTAINER, rancher: RANCHER, rancherToken: SECRET };

const RUNS = [
  ...environments.map((name) => ({ name, run: () => programRun(name) })),
  { name: "aws-prod in an ambient mesh", run: () => inMesh("ambient") },
  { name: "aws-prod in a mesh of sidecars", run: () => inMesh("sidecar") },
  { name: "oci-h100 with every option", run: withEveryOption },
  { name: "edge-nvidia with Argo CD, Portainer and Rancher", run: () => changedRun("edge-nvidia", MANAGED) },
];

describe.each(RUNS)("every Kubernetes object of $name on a real API server", ({ run }) => {
  let controlPlane: ControlPlane | undefined;
  let objects: KubernetesObject[] = [];
  let applied: Verdict = { refusals: [], warnings: [] };
  let pods: Verdict = { refusals: [], warnings: [] };

  beforeAll(async () => {
    const { resources, environment: config } = await run();
    // What makes its cluster by k3s is judged by an API server with k3s' settings.
    const files = filesOfHost(resources);
    expect(files.length > 0).toBe(config.cluster.kind === "edge" && config.cluster.provision === "create");
    const serverArgs = files.length > 0 ? k3sServerArgs(files, mkdtempSync(join(tmpdir(), "k3s-"))) : [];
    const plane = await ControlPlane.start({ controllers: true, serverArgs });
    controlPlane = plane;
    const { client } = plane;
    await addRuntimeClass(client, config);
    objects = recordedObjects(resources);
    const kinds = kindsOf(objects);
    await Promise.all([
      ...chartsWithCrds(kinds).map((chart) => installChartCrds(client, chart, kinds)),
      ...foreignNamespacesOf(objects).map((name) =>
        client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
      ),
    ]);

    const workloads = objects.filter(makesPods);
    const first = objects.filter(({ kind }) => kind === "Namespace" || kind === "PriorityClass");
    const rest = objects.filter((object) => !workloads.includes(object) && !first.includes(object));
    const verdicts = [await judge(client, first), await judge(client, rest)];
    await admissionReady(client, objects);
    // Before the workloads: their controllers' pods would count against the quotas too.
    pods = await judge(client, workloads.flatMap(podsOf), { dryRun: true });
    verdicts.push(await judge(client, workloads));
    applied = {
      refusals: verdicts.flatMap(({ refusals }) => refusals),
      warnings: verdicts.flatMap(({ warnings }) => warnings),
    };
  });
  afterAll(() => controlPlane?.stop());

  it("is accepted by strict field validation and its CRD's schema and CEL rules", () => {
    expect(objects.length).toBeGreaterThan(100);
    expect(applied.refusals).toEqual([]);
  });

  it("causes no warning about deprecated APIs or Pod Security", () => {
    expect(applied.warnings).toEqual([]);
  });

  it("makes pods that Pod Security, quota and limits admit, each by itself", () => {
    expect(objects.filter(makesPods).length).toBeGreaterThan(0);
    expect(pods).toEqual({ refusals: [], warnings: [] });
  });
});

describe("the API server of these tests", () => {
  let controlPlane: ControlPlane | undefined;
  const namespace: KubernetesObject = {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: "strict",
      labels: {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
      },
    },
  };
  beforeAll(async () => {
    controlPlane = await ControlPlane.start({ controllers: true });
    await controlPlane.client.apply(namespace);
    await admissionReady(controlPlane.client, [namespace]);
  });
  afterAll(() => controlPlane?.stop());

  it("refuses an unknown field, a root pod, and warns of a workload that would make one", async () => {
    const client = controlPlane?.client;
    if (client === undefined) {
      throw new Error("the control plane did not start");
    }
    const workload: KubernetesObject = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "root", namespace: "strict" },
      spec: {
        selector: { matchLabels: { app: "root" } },
        template: {
          metadata: { labels: { app: "root" } },
          spec: { containers: [{ name: "root", image: "example.com/root:1" }] },
        },
      },
    };
    const misspelt = { ...workload, spec: { ...(workload.spec as object), replica: 1 } };
    expect((await judge(client, [misspelt])).refusals).toEqual([expect.stringContaining("replica")]);
    expect((await judge(client, podsOf(workload), { dryRun: true })).refusals).toEqual([
      expect.stringMatching(/violates PodSecurity "restricted:latest".*runAsNonRoot/),
    ]);
    expect((await judge(client, [workload])).warnings).toEqual([
      expect.stringMatching(/would violate PodSecurity "restricted:latest"/),
    ]);
  });

  it("takes the NetworkPolicies of all networks that a configuration may name, and none with a stray exception", async () => {
    const client = controlPlane?.client;
    if (client === undefined) {
      throw new Error("the control plane did not start");
    }
    const policy = (to: readonly End[]): KubernetesObject => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "out", namespace: "strict" },
      spec: networkPolicySpec("strict", {
        podLabels: {},
        incoming: [],
        outgoing: [connect({ name: "out", reason: "A test", from: podsIn("strict"), to, ports: [443] })],
      }),
    });
    const networks = ["fd00::/8", "198.18.7.9/15", "10.96.0.0/12", "2001:DB8::/32", "128.0.0.0/1", "192.0.2.1/32"];
    for (const privateCidrs of [[], ...networks.map((cidr) => [cidr]), networks]) {
      const settled = await client.apply(policy(internet({ privateCidrs })), { dryRun: true });
      expect(settled.warnings).toEqual([]);
      const api = toKubernetesApi("strict", podsIn("strict"), { apiServerCidrs: privateCidrs });
      expect((await client.apply(policy(api.to), { dryRun: true })).warnings).toEqual([]);
    }
    const stray = policy([{ cidr: "0.0.0.0/0", except: ["fd00::/8"] }]);
    await expect(client.apply(stray, { dryRun: true })).rejects.toThrow(/must be a strict subset of/);
  });
});

async function judge(
  client: ApiClient,
  objects: readonly KubernetesObject[],
  options: { readonly dryRun?: boolean } = {},
): Promise<Verdict> {
  const answers = await Promise.all(
    objects.map(async (object) => {
      try {
        const { warnings } = await client.apply(object, options);
        return { refusals: [], warnings: warnings.map((warning) => `${describeObject(object)}: ${warning}`) };
      } catch (error) {
        return { refusals: [messageOf(error)], warnings: [] };
      }
    }),
  );
  return {
    refusals: answers.flatMap(({ refusals }) => refusals),
    warnings: answers.flatMap(({ warnings }) => warnings),
  };
}
