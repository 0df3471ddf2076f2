import type { Linter } from "./finding";

/** Findings that stand, with the reason. A test fails when an exception no longer matches anything. */
export interface LinterException<L extends string = Linter> {
  readonly linter: L;
  readonly check: string;
  /** Matched against `<Kind> <namespace>/<name>`. */
  readonly objects: RegExp;
  /** Why the platform is better as it is. */
  readonly reason: string;
}

const PODS = /^(CronJob|DaemonSet|Deployment|StatefulSet|Job|Pod) /;

const PINNED_TAGS =
  "tags are pinned versions, and asking the registry at every start would make its outages ours: an edge site could not restart a pod without the internet";

const RAY_PODS = /^Pod model-[^/]+\/model-.+-(headgroupspec|workergroupspecs)-template$/;
const RAYS_USER =
  "the image's Python lies in the home of its user 1000, which no other may read; nothing of the host is mounted";

const CALICO = /^DaemonSet calico-system\/calico-node$/;
const CALICOS_NODE =
  "the agent writes its node's packet filter, as root in the node's network (names/pod-security.ts): no other container of ours may";
/** What a container that writes the node's packet filter has, by check. */
const ON_THE_NODE: readonly (readonly [Linter, ...string[]])[] = [
  [
    "kube-score",
    "container-security-context-privileged",
    "container-security-context-readonlyrootfilesystem",
    "container-security-context-user-group-id",
  ],
  [
    "checkov",
    ...["CKV_K8S_16", "CKV_K8S_19", "CKV_K8S_20", "CKV_K8S_22", "CKV_K8S_23"],
    ...["CKV_K8S_28", "CKV_K8S_37", "CKV_K8S_40"],
  ],
];

export const EXCEPTIONS: readonly LinterException[] = [
  ...ON_THE_NODE.flatMap(([linter, ...checks]) =>
    checks.map((check) => ({ linter, check, objects: CALICO, reason: CALICOS_NODE })),
  ),
  {
    linter: "checkov",
    check: "CKV_K8S_38",
    objects: CALICO,
    reason: "it learns from the Kubernetes API who a policy is about: its ClusterRole names what it may read",
  },
  { linter: "kube-score", check: "container-security-context-user-group-id", objects: RAY_PODS, reason: RAYS_USER },
  { linter: "checkov", check: "CKV_K8S_40", objects: RAY_PODS, reason: RAYS_USER },
  {
    linter: "kube-score",
    check: "pod-probes-identical",
    objects: /^Pod model-[^/]+\/model-.+-headgroupspec-template$/,
    reason:
      "the head serves no requests: that its store answers is all there is to ask, and it may fail six times as often",
  },
  { linter: "kube-score", check: "container-image-pull-policy", objects: PODS, reason: PINNED_TAGS },
  { linter: "checkov", check: "CKV_K8S_15", objects: PODS, reason: PINNED_TAGS },
  {
    linter: "checkov",
    check: "CKV_K8S_43",
    objects: PODS,
    reason: "the catalogue adds a digest where two public sources agree on it; for these images none was found",
  },
  {
    linter: "checkov",
    check: "CKV_K8S_9",
    objects: /^Pod model-[^/]+\/model-.+-workertemplate$/,
    reason: "no Service selects the workers of a group: its leader is ready only when they have joined it",
  },
  {
    linter: "checkov",
    check: "CKV_K8S_38",
    objects: /^Deployment model-control\/model-control$/,
    reason: "it calls the Kubernetes API: its Role names what it may do there",
  },
  {
    linter: "checkov",
    check: "CKV_K8S_38",
    objects: /^Job rdma-devices\/(operators-ready|toolkit-settled)-[0-9a-f]{8}$/,
    reason: "it waits for what operators bring: its ClusterRole lets it read those things by name",
  },
  {
    linter: "checkov",
    check: "CKV_K8S_38",
    objects: /^(CronJob|Job) fabric-gate\/certify-/,
    reason:
      "it certifies nodes: it may read them, run trials in its own namespace, and take one taint away, which an admission policy holds it to",
  },
  {
    linter: "checkov",
    check: "CKV_K8S_38",
    objects: /^Job model-store\/sync-/,
    reason:
      "it reports the hash of what it copied: its Role lets it change that one ConfigMap of its model's namespace",
  },
  {
    linter: "kube-score",
    check: "networkpolicy-targets-pod",
    objects:
      /^NetworkPolicy (aws-load-balancers|cert-manager|envoy-ai-gateway-system|envoy-gateway-system|gpu-metrics|gpu-software|inference-gateway|istio-system|karpenter|keda|lws-system|node-metrics|observability|ray-system)\//,
    reason: "the pods come from charts and controllers in the cluster, which the linter does not see",
  },
  {
    linter: "kube-score",
    check: "networkpolicy-targets-pod",
    objects: /^NetworkPolicy [^/]+\/allow-istio-waypoint$/,
    reason: "Istio makes the pods of a waypoint from its Gateway, which the linter does not see",
  },
  {
    linter: "kube-score",
    check: "networkpolicy-targets-pod",
    objects: /^NetworkPolicy inference-system\/default-deny$/,
    reason: "every namespace starts closed, also the one that holds nothing but the record of the plan",
  },
  {
    linter: "kube-score",
    check: "deployment-replicas",
    objects: /^Deployment model-(?!control\/)[^/]+\//,
    reason: "a second replica is a second set of GPUs: the environment's minReplicas says who pays for it",
  },
  {
    linter: "kube-score",
    check: "deployment-replicas",
    objects: /^Deployment model-control\//,
    reason: "one replica in development, two in production",
  },
  {
    linter: "kube-score",
    check: "deployment-has-host-podantiaffinity",
    objects: /^Deployment model-[^/]+\/model-/,
    reason: "topology spread constraints put replicas on nodes and zones of their own where there are some",
  },
  {
    linter: "kube-score",
    check: "statefulset-has-host-podantiaffinity",
    objects: /^StatefulSet model-[^/]+\/model-/,
    reason: "topology spread constraints put replicas on nodes and zones of their own where there are some",
  },
];
