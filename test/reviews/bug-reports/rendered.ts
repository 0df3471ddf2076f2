import { dnsCache } from "../../../cli/doctor/checks/dns";
import { disruption, terminationGracePeriod } from "../../../components/autoscaling/node-limits";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { withoutScaledReplicas } from "../../../render/scaled-replicas";
import { facts, known, only, workload } from "../../cli/doctor/made-up";
import { runningModel } from "../../components/autoscaling/fixture";
import { container, literals, podTemplate, specOf } from "../../components/serving/fixture";
import type { Deployment, RecordedResource } from "../../harness/deploy";
import { eksPool } from "../../harness/eks-pools";
import { networkPolicyOf } from "../../stacks/kubernetes";
import type { Sections } from "../../stacks/texts";
import { type BugReport, onL40s, onNodes } from "./report";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const GROUP = "kubernetes:leaderworkerset.x-k8s.io/v1:LeaderWorkerSet";
const STATEFUL_SET = "kubernetes:apps/v1:StatefulSet";
const JOB = "kubernetes:batch/v1:Job";
const POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy";
const BUDGET = "kubernetes:policy/v1:PodDisruptionBudget";

/**
 * One environment for all of these reports: a model in one pod that scales, one over four nodes and one of Ollama, on nodes with a
 * taint, behind a proxy and a mirror of the Hub, with a DNS cache at an address of its own.
 */
export const RENDERED_ENVIRONMENT: Sections = onNodes(
  {
    one: { model: "qwen2.5-7b-instruct", concurrency: 4, replicas: { min: 1, max: 2 } },
    spread: { model: "qwen2.5-32b-instruct", concurrency: 2, vllm: { tensorParallel: 1, pipelineParallel: 4 } },
    small: { model: "llama-3.2-3b-instruct", engine: "ollama", contextTokens: 8192, concurrency: 2 },
  },
  {},
  { maxNodes: 7, taints: [{ key: "sku", value: "gpu", effect: "NoSchedule" }] },
  {
    cluster: { kind: "local", dnsCidrs: ["10.233.0.3/32"] },
    storage: {
      hub: { url: "https://hub.corp.example", networks: ["10.20.0.7/32"] },
      proxy: { url: "http://proxy.corp.example:3128", networks: ["10.20.0.8/32"] },
    },
  },
);

const serverOf = (platform: Deployment) => platform.resource(DEPLOYMENT, "platform-models-one-server-deployment");
const podOf = (platform: Deployment) => podTemplate(serverOf(platform)).spec;
const engineOf = (platform: Deployment) => container(podOf(platform), "vllm");
const groupOf = (platform: Deployment) => specOf(platform.resource(GROUP, "platform-models-spread-group"));

/** Keys of an object, in their order. */
function picked(from: object, ...keys: string[]): unknown[] {
  return keys.map((key) => Object(from)[key]);
}

/** Addresses that the pods of a namespace may ask on a port. */
function addressesOn(policy: RecordedResource, port: number): string[] {
  return networkPolicyOf(policy).egress.flatMap((rule) => {
    const { ports, to } = rule as {
      readonly ports: readonly { readonly port: number }[];
      readonly to: readonly { readonly ipBlock?: { readonly cidr: string } }[];
    };
    return ports.some((each) => each.port === port) ? to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? []) : [];
  });
}

/** Labels of the pods of kube-system that the pods of a namespace may ask. */
function systemPods(policy: RecordedResource): unknown[] {
  return networkPolicyOf(policy).egress.flatMap((rule) => {
    const { to } = rule as { readonly to: readonly { readonly podSelector?: { readonly matchLabels: object } }[] };
    return to.flatMap(({ podSelector }) => Object(podSelector?.matchLabels)["k8s-app"] ?? []);
  });
}

const defaultDeny = (platform: Deployment) => platform.resource(POLICY, "platform-models-one-space-ns-default-deny");

/** What rendered resources have. */
export const RENDERED: readonly BugReport[] = [
  {
    reports: "cilium/cilium-cli#1341, XenitAB/terraform-modules#608, kubernetes/kubernetes#70555",
    failure: "a DNS cache on the host's network, at an address that the policies do not know",
    proofs: [
      {
        rendered: (platform) => addressesOn(defaultDeny(platform), 53),
        is: ["169.254.20.10/32", "169.254.25.10/32", "10.233.0.3/32"],
      },
      { asked: () => ["169.254.25.10", "10.96.0.10"].map(cacheAt), is: ["passed", "failed"] },
    ],
  },
  {
    reports: "kserve/kserve#825, huggingface/huggingface_hub#2222",
    failure: "the Hub is behind a proxy of a company, or a mirror",
    proofs: [
      {
        rendered: (platform) => {
          const job = platform.resource(JOB, "platform-store-sync-one-copy-job");
          return picked(literals(container(podTemplate(job).spec, "sync")), "HF_ENDPOINT", "HTTPS_PROXY");
        },
        is: ["https://hub.corp.example", "http://proxy.corp.example:3128"],
      },
      {
        rendered: (platform) => addressesOn(platform.resource(POLICY, "platform-store-ns-allow-model-sync"), 3128),
        is: ["10.20.0.8/32"],
      },
    ],
  },
  {
    reports: "awslabs/ai-on-eks-charts#21, vllm-project/production-stack#1006",
    failure: "GPU nodes that exist have a taint of their own",
    proofs: [
      {
        rendered: (platform) => podOf(platform).tolerations,
        is: [
          { effect: "NoSchedule", key: "nvidia.com/gpu", operator: "Exists" },
          { effect: "NoSchedule", key: "dedicated", operator: "Equal", value: "inference" },
          { effect: "NoSchedule", key: "sku", operator: "Equal", value: "gpu" },
        ],
      },
    ],
  },
  {
    reports: "vllm-project/vllm#34199",
    failure: "a Service named vllm sets VLLM_PORT in every pod",
    proofs: [
      { rendered: (platform) => picked(podOf(platform), "enableServiceLinks"), is: [false] },
      {
        rendered: (platform) =>
          recordedObjects(platform.recording.resources)
            .filter(({ kind }) => kind === "Service")
            .filter(({ metadata }) => /^(vllm|ollama|ray|triton)/.test(metadata.name)),
        is: [],
      },
    ],
  },
  {
    reports: "defilantech/LLMKube#192, airunway#400",
    failure: "a rolling update waits for a GPU that nobody has",
    proofs: [
      { rendered: (platform) => specOf(serverOf(platform)).strategy, is: rolling("rollingUpdate") },
      { rendered: (platform) => groupOf(platform).rolloutStrategy, is: rolling("rollingUpdateConfiguration") },
      {
        environment: onL40s({ model: "qwen2.5-7b-instruct", concurrency: 4 }),
        advised: [{ path: "models.m", rule: "interrupted-by-changes", says: [/\b\d+ min\b/] }],
        notAdvised: ["changes-need-room"],
      },
    ],
  },
  {
    reports: "ray-project/kuberay#4239, #1476, #2274",
    failure: "a change of a RayService waits for a second cluster's GPUs for ever",
    proofs: [
      {
        environment: onL40s({ model: "qwen2.5-7b-instruct", engine: "ray", concurrency: 4 }),
        advised: [{ path: "models.m", rule: "changes-need-room", says: ["1 GPU", "0 on", "pools.gpu.maxNodes: 2"] }],
        notAdvised: ["interrupted-by-changes"],
      },
      {
        environment: onL40s({ model: "qwen2.5-7b-instruct", engine: "ray", concurrency: 4 }, {}, { maxNodes: 2 }),
        advised: [{ path: "models.m", rule: "changes-need-room", says: ["1 GPU", "2 nodes"] }],
        notAdvised: ["interrupted-by-changes"],
      },
    ],
  },
  {
    reports: "kserve/kserve#5062",
    failure: "a probe ends a pod that still loads its weights",
    proofs: [
      {
        rendered: (platform) => {
          const { startupProbe, env } = engineOf(platform);
          const [period, failures] = picked(Object(startupProbe), "periodSeconds", "failureThreshold").map(Number);
          const budget = Number(env.find(({ name }) => name === "VLLM_ENGINE_READY_TIMEOUT_S")?.value);
          return [budget >= 300, (period ?? 0) * (failures ?? 0) >= budget];
        },
        is: [true, true],
      },
    ],
  },
  {
    reports: "restate-operator#88, kubernetes/kubernetes#70555",
    failure: "policies that know CoreDNS alone stop what asks NodeLocal DNSCache",
    proofs: [
      { rendered: (platform) => systemPods(defaultDeny(platform)), is: ["kube-dns", "node-local-dns"] },
      { rendered: (platform) => addressesOn(defaultDeny(platform), 53).includes("169.254.20.10/32"), is: true },
    ],
  },
  {
    reports: "argo-cd#5105, keda#5572",
    failure: "GitOps and the autoscaler set the number of replicas in turns; the fallback takes replicas away",
    proofs: [
      {
        rendered: ({ recording }) => {
          const objects = recordedObjects(recording.resources);
          const written = withoutScaledReplicas(
            objects.map((object) => ({ object, source: undefined, home: undefined })),
          );
          return written.flatMap(({ object: { kind, metadata, spec } }) =>
            kind === "Deployment" && metadata.namespace === "model-one" ? ["replicas" in Object(spec)] : [],
          );
        },
        is: [false],
      },
      {
        rendered: (platform) =>
          platform.ofKind("ScaledObject").map((each) => picked(Object(specOf(each).fallback), "behavior")),
        is: [["currentReplicasIfHigher"]],
      },
    ],
  },
  {
    reports: "vllm-project/production-stack#276, #899",
    failure: "64 MB of /dev/shm are too few for NCCL",
    proofs: [
      {
        rendered: (platform) => podOf(platform).volumes.filter(({ name }) => name === "shared-memory"),
        is: [{ name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } }],
      },
      {
        rendered: (platform) => engineOf(platform).volumeMounts.filter(({ mountPath }) => mountPath === "/dev/shm"),
        is: [{ name: "shared-memory", mountPath: "/dev/shm" }],
      },
    ],
  },
  {
    reports: "llm-d-benchmark#1573, inference-benchmarker#47",
    failure: "a user without an entry in /etc/passwd, and caches in folders that cannot be written",
    proofs: [
      {
        rendered: (platform) => {
          const engine = engineOf(platform);
          const { USER, HOME, ...caches } = literals(engine);
          const folders = Object.entries(caches).filter(([name]) => /_(HOME|ROOT|DIR)$/.test(name));
          return [
            USER,
            HOME,
            folders.length >= 6 && folders.every(([, folder]) => folder.startsWith("/cache")),
            engine.volumeMounts.some(({ mountPath }) => mountPath === "/cache"),
          ];
        },
        is: ["inference", "/cache", true, true],
      },
    ],
  },
  {
    reports: "Stirling-PDF#7770",
    failure: "Ollama cuts prompts at its default of 4096 tokens",
    proofs: [
      {
        rendered: (platform) => {
          const server = podTemplate(platform.resource(STATEFUL_SET, "platform-models-small-server-statefulset"));
          return picked(literals(container(server.spec, "ollama")), "OLLAMA_CONTEXT_LENGTH", "OLLAMA_NUM_PARALLEL");
        },
        is: ["8192", "2"],
      },
    ],
  },
  {
    reports: "karpenter#2802, #1776",
    failure: "a disruption budget keeps a node from being drained for ever",
    proofs: [
      {
        rendered: (platform) =>
          platform
            .ofType(BUDGET)
            .filter(({ name }) => name.startsWith("platform-models-"))
            .map((each) => picked(specOf(each), "maxUnavailable", "minAvailable")),
        is: [
          [1, undefined],
          [1, undefined],
          [1, undefined],
        ],
      },
      {
        asked: () => {
          const [pool, models] = [eksPool("g6.4xlarge"), [runningModel({ drainSeconds: 3600 })]];
          return [disruption(pool, models).consolidationPolicy, terminationGracePeriod(pool, models)];
        },
        is: ["WhenEmpty", "70m"],
      },
    ],
  },
];

/** What doctor says of a DNS cache on every node that listens there. */
function cacheAt(address: string): string {
  const cache = workload("registry.k8s.io/dns/k8s-dns-node-cache:1.26.7", { words: ["-localip", address] });
  return only(dnsCache, facts({ daemonSets: known([cache]) })).status;
}

/** Replicas in place, one at a time. */
function rolling(key: string) {
  return { type: "RollingUpdate", [key]: { maxSurge: 0, maxUnavailable: 1 } };
}
