import { shippedText } from "../../names/shipped-file";
import { changedRun, type EnvironmentName, type ProgramRun } from "./run";
import { merged, type Sections, shippedSections } from "./texts";

export interface Sweep {
  readonly what: string;
  readonly base: EnvironmentName;
  readonly changes: Sections;
}

const GPU_NODE = { card: "h200", gpuCount: 8, vcpus: 96, memoryGiB: 1024, localNvmeGB: 8000 };

/** Options that no shipped environment uses, in production. */
export const SWEEPS: readonly Sweep[] = [
  {
    what: "a private EKS cluster with a key of its own and sidecars",
    base: "aws-prod",
    changes: {
      cluster: {
        eks: {
          endpoint: { public: false },
          network: { natGateways: "single", endpoints: ["ecr.api", "ecr.dkr", "sts"] },
          encryptionKeyArn: "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab",
        },
      },
      pools: { l4: { capacity: "spot", localDisks: "unused" } },
      mesh: { mode: "sidecar" },
      gateway: { affinity: "cookie", consumers: { web: { priority: "paid" }, batch: { priority: "free" } } },
      models: { "llama-70b": { affinity: "header", vllm: { toolCalling: true } } },
      observability: { profile: "full" },
    },
  },
  {
    what: "a node that Portainer and Rancher manage, whose chat page signs people in by an issuer",
    base: "edge-nvidia",
    changes: {
      gateway: {
        consumers: { "open-webui": { models: ["chat"] } },
        auth: { oidc: { issuer: "https://login.example.com/realms/platform", audience: "inference" } },
      },
      openWebUi: {
        hostname: "chat.example.internal",
        adminEmail: "ops@example.internal",
        signIn: { clientId: "open-webui", newUsers: "user" },
        gatewayAuthorities: shippedText("test/fixtures/certificates/example-ca.pem"),
      },
      portainer: { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] },
      rancher: {
        acknowledgeClusterAdmin: true,
        url: "https://rancher.example.internal",
        networks: ["192.168.1.31/32"],
      },
      rancherToken: { secure: "v1:never-read" },
      models: { chat: { source: "file:///srv/models/chat" } },
    },
  },
  {
    what: "a public OKE cluster with options of model control",
    base: "oci-a10",
    changes: {
      stage: "production",
      observability: {
        alerts: {
          webhook: { severities: ["warning"] },
          slack: { severities: ["warning"] },
          pagerduty: { severities: ["critical"], serviceRegion: "eu" },
          email: { severities: ["critical"], requireTls: false },
        },
      },
      cluster: { oke: { endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] } } },
      pools: { "a10-pair": { numa: "single-numa-node", cycling: "off" } },
      models: { writer: { vllm: { loading: "stream", kvCacheDtype: "bfloat16" } } },
      modelControl: { ollamaApi: true, inference: { enabled: true, fetch: false } },
      storage: {
        backend: {
          bucket: "weights",
          reader: { accessKey: "readerIdApiKey", secretKey: "readerApiKey" },
          writer: { accessKey: "writerIdApiKey", secretKey: "writerApiKey" },
        },
        buckets: {
          weights: {
            url: "https://example.compat.objectstorage.us-ashburn-1.oraclecloud.com",
            region: "us-ashburn-1",
          },
        },
      },
      ...Object.fromEntries(
        ["readerId", "reader", "writerId", "writer"].map((key) => [`${key}ApiKey`, { secure: "v1:never-read" }]),
      ),
    },
  },
  {
    what: "a node whose platform Argo CD applies from Git",
    base: "edge-nvidia",
    changes: {
      stage: "production",
      observability: { alerts: "none" },
      gitops: {
        engine: "argo-cd",
        acknowledgeClusterAdmin: true,
        repository: "https://git.example.com/platform/gitops.git",
        revision: "production",
        path: "clusters/edge-nvidia",
        name: "node",
        caCerts: shippedText("test/fixtures/certificates/example-ca.pem"),
        username: "argocd",
        networks: ["192.168.1.40/32"],
      },
      gitopsToken: { secure: "v1:never-read" },
      models: { chat: { source: `oci://registry.example.com/ml/qwen3:8b@sha256:${"a".repeat(64)}` } },
      storage: { imageVolumes: true },
    },
  },
  {
    what: "a cluster of others, with what is present there",
    base: "dev",
    changes: {
      stage: "production",
      observability: { alerts: "none" },
      cluster: {
        storageClass: "encrypted",
        certManager: "present",
        gpuExporters: "present",
        gpuSoftware: "platform",
        gpuNodeImage: "bare",
      },
      pools: {
        system: { role: "system", node: { vcpus: 64, memoryGiB: 256 }, minNodes: 3, maxNodes: 3 },
        gpu: {
          role: "gpu",
          node: GPU_NODE,
          minNodes: 2,
          maxNodes: 4,
          taints: [
            { key: "sku", effect: "NoExecute" },
            { key: "team", effect: "PreferNoSchedule" },
          ],
        },
      },
      models: {
        chat: {
          model: "qwen2.5-7b-instruct",
          concurrency: 4,
          engineVersion: "0.33.0",
          image: {
            reference: `registry.example.com/ml/vllm:0.33.0-team@sha256:${"a".repeat(64)}`,
            platforms: ["linux/amd64"],
          },
          vllm: { sleepMode: true, reasoning: false },
          aliases: ["assistant-v1"],
          pod: {
            cpu: 4,
            labels: { "example.com/team": "ml" },
            annotations: { "example.com/contact": "ml@example.com" },
            volumes: [{ name: "cache", mountPath: "/kv-cache", claim: "cache", readOnly: false }],
            initContainers: [{ name: "warm", image: `registry.example.com/ml/warm:1@sha256:${"b".repeat(64)}` }],
            probes: {
              startupSeconds: 1800,
              readiness: { periodSeconds: 5, timeoutSeconds: 2, failures: 3 },
              liveness: { periodSeconds: 10, timeoutSeconds: 5, failures: 10 },
            },
          },
        },
        split: { model: "qwen2.5-7b-instruct", concurrency: 4, vllm: { prefillDecode: { prefill: 1, decode: 1 } } },
        scaled: {
          model: "qwen3-8b",
          concurrency: 4,
          replicas: { min: 1, max: 2 },
          scaling: { by: "keda", on: ["queue", "kvCache"] },
          vllm: { kvCacheDtype: "fp8", reasoning: true },
        },
        ranks: { model: "bge-m3", task: "embedding", concurrency: 4 },
        partner: {
          engine: "external",
          task: "chat",
          external: { url: "https://api.example.com/v1", healthPath: "/healthz" },
        },
        served: { model: "qwen2.5-7b-instruct", engine: "ray", concurrency: 4, ray: { toolCalling: true } },
      },
      transform: [
        {
          kind: "Deployment",
          resource: "platform-models-ranks-server-deployment",
          reason: "debugging",
          patches: [{ op: "add", path: "/spec/template/spec/shareProcessNamespace", value: true }],
        },
      ],
      gateway: {
        exposure: "NodePort",
        tls: { kind: "secret", secretName: "gateway-tls" },
        affinity: "header",
        sessionHeader: "x-user-id",
        controller: { namespace: "gateways", gatewayClass: "eg" },
      },
      storage: { nodeCacheGiB: 500 },
    },
  },
];

export function changesOf({ base, changes }: Sweep): Sections {
  return merged(shippedSections(base), changes) as Sections;
}

const runs = new Map<Sweep, Promise<ProgramRun>>();

/** Runs one of them once for all tests of a worker. One run at a time: await it. */
export function sweptRun(sweep: Sweep): Promise<ProgramRun> {
  const found = runs.get(sweep) ?? changedRun(sweep.base, changesOf(sweep));
  runs.set(sweep, found);
  return found;
}
