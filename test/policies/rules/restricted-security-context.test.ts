import { restrictedSecurityContext } from "../../../policies/rules/restricted-security-context";
import { container, deployment, HOMES, object, podSpec, policyCases, release, UNKNOWN, workload } from "../cases";

const good = container();
const context = (changes: object) => [
  deployment(
    podSpec({ containers: [container({ securityContext: { ...(good.securityContext as object), ...changes } })] }),
  ),
];
const pod = (changes: Record<string, unknown>) => [deployment(podSpec(changes))];
const inContainer = (changes: Record<string, unknown>) => [deployment(podSpec({ containers: [container(changes)] }))];
const inNamespace = (namespace: unknown, spec: object) => [
  workload("apps/v1", "DaemonSet", { template: { spec } }, namespace),
];
const namespace = (name: unknown, level: unknown) =>
  object("core/v1", "Namespace", {}, { name, labels: { "pod-security.kubernetes.io/enforce": level } });
const privileged = podSpec({ hostNetwork: true, containers: [container({ securityContext: { privileged: true } })] });
const calico = (name: string, home: string, kind = "DaemonSet") =>
  object("apps/v1", kind, { spec: { template: { spec: privileged } } }, { name, namespace: home });
/** Rancher's agent is root, with a writable root: what its namespace's level allows and no more. */
const rancher = (name: string, changes: object = {}) =>
  object(
    "apps/v1",
    "Deployment",
    {
      spec: {
        template: { spec: podSpec({ containers: [container({ securityContext: { runAsUser: 0 } })], ...changes }) },
      },
    },
    { name, namespace: "cattle-system" },
  );
const PRIVILEGED_OFFENCES = [
  "hostNetwork is true",
  "privileged is true",
  "allowPrivilegeEscalation",
  "runAsNonRoot",
  "seccompProfile",
  "capabilities.drop",
  "readOnlyRootFilesystem",
] as const;
const hardened = good.securityContext as object;
const privilegedContainer = { image: "busybox:1.37", securityContext: { privileged: true } };
const deploymentPatch = (spec: object) => object("apps/v1", "DeploymentPatch", { spec: { template: { spec } } });
const envoyProxy = (envoyDeployment: object) =>
  workload("gateway.envoyproxy.io/v1alpha1", "EnvoyProxy", { provider: { kubernetes: { envoyDeployment } } });
const HOST_LABELS = { "inference-stacks.io/host-network": "large" };
const { allowPrivilegeEscalation: _, ...besidesEscalation } = hardened as { allowPrivilegeEscalation: boolean };
const PRIVILEGED_ENGINE = {
  ...container({ securityContext: { ...besidesEscalation, privileged: true } }),
  name: "vllm",
};
const onHostNetwork = (changes: Record<string, unknown>, labels: object = HOST_LABELS, kind = "LeaderWorkerSet") => {
  const spec = podSpec({ hostNetwork: true, containers: [PRIVILEGED_ENGINE], ...changes });
  return [
    object(
      "leaderworkerset.x-k8s.io/v1",
      kind,
      { spec: { leaderWorkerTemplate: { workerTemplate: { spec } } } },
      { name: "model-large", namespace: "model-large", labels },
    ),
  ];
};
const account = (body: Record<string, unknown>) => object("core/v1", "ServiceAccount", body, { namespace: "a" });
const contextPath = "spec.template.spec.containers[0].securityContext";
const certified = (signerName: string) =>
  pod({ volumes: [{ name: "a", projected: { sources: [{ podCertificate: { signerName } }] } }] });
const driver = (tokenRequests: unknown) => [object("storage.k8s.io/v1", "CSIDriver", { spec: { tokenRequests } })];

policyCases(restrictedSecurityContext, [
  ["a chart's host network as text", [release({ values: { hostNetwork: "true" } })], ["hostNetwork is"]],
  ["a chart's host processes as text", [release({ values: { hostPID: "true" } })], ["hostPID is"]],
  ["a chart's root as text", [release({ values: { podSecurityContext: { runAsUser: "0" } } })], ["runAsUser is"]],
  [
    "a certificate of the API server's callers",
    certified("kubernetes.io/kube-apiserver-client-pod"),
    ["signerName is"],
  ],
  ["a certificate of another signer", certified("acme.io/mesh"), "pass"],
  ["a driver with tokens for a cloud", driver([{ audience: "sts.amazonaws.com" }]), ["tokenRequests[0].audience is"]],
  ["a driver with tokens for the cluster", driver([{ audience: "" }]), "pass"],
  ["a driver without tokens", driver(undefined), "pass"],
  ["a hardened pod", pod({}), "pass"],
  [
    "what the pod says once for all containers",
    pod({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        container({
          securityContext: { ...(good.securityContext as object), runAsNonRoot: undefined, seccompProfile: undefined },
        }),
      ],
    }),
    "pass",
  ],
  [
    "volumes of allowed types",
    pod({
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "b", configMap: { name: "c" } },
      ],
    }),
    "pass",
  ],
  [
    "a token for a service account of its own",
    pod({ automountServiceAccountToken: true, serviceAccountName: "operator" }),
    "pass",
  ],
  ["a safe sysctl", pod({ securityContext: { sysctls: [{ name: "net.ipv4.tcp_wmem", value: "1" }] } }), "pass"],
  ...["RuntimeDefault", "Localhost"].flatMap((type) => [
    [`AppArmor ${type}`, context({ appArmorProfile: { type } }), "pass"] as const,
    [`seccomp ${type}`, context({ seccompProfile: { type } }), "pass"] as const,
  ]),
  ...["", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"].map(
    (type) => [`SELinux ${type}`, context({ seLinuxOptions: { type, user: "", role: "" } }), "pass"] as const,
  ),
  ["/proc as it is by default", context({ procMount: "Default" }), "pass"],
  ["NET_BIND_SERVICE", context({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }), "pass"],

  ["a group on the network of its nodes, with the engine's device files", onHostNetwork({}), "pass"],
  [
    "the same without the label that says so",
    onHostNetwork({}, {}),
    ["hostNetwork is true", "privileged is true", "allowPrivilegeEscalation is not set"],
  ],
  [
    "device files for what runs beside the engine",
    onHostNetwork({ containers: [{ ...container({}), name: "engine" }, PRIVILEGED_ENGINE] }),
    ["containers[1].securityContext.privileged is true", "allowPrivilegeEscalation is not set"],
  ],
  [
    "the network of its node for another kind",
    onHostNetwork({}, HOST_LABELS, "RayService"),
    ["hostNetwork is true", "privileged is true", "allowPrivilegeEscalation is not set"],
  ],
  [
    "more than that of a group on the network of its nodes",
    onHostNetwork({
      hostPID: true,
      volumes: [{ name: "devices", hostPath: { path: "/dev" } }],
      initContainers: [{ ...container({ securityContext: { ...hardened, privileged: true } }), name: "fetch" }],
    }),
    ["hostPID is true", "hostPath", "initContainers[0].securityContext.privileged is true"],
  ],

  [
    "no securityContext at all",
    inContainer({ securityContext: undefined }),
    [
      "allowPrivilegeEscalation is not set; allowed: false",
      "runAsNonRoot is not set; allowed: true",
      "seccompProfile.type is not set; allowed: RuntimeDefault or Localhost",
      "capabilities.drop is not set",
      "readOnlyRootFilesystem is not set",
    ],
  ],
  [
    "privilege escalation",
    context({ allowPrivilegeEscalation: true }),
    [`${contextPath}.allowPrivilegeEscalation is true; allowed: false`],
  ],
  ["privileged", context({ privileged: true }), [`${contextPath}.privileged is true`]],
  [
    "root allowed by the container against the pod",
    context({ runAsNonRoot: false }),
    [`${contextPath}.runAsNonRoot is false`],
  ],
  ["user 0", pod({ securityContext: { runAsUser: 0 } }), ["securityContext.runAsUser is 0"]],
  ["unconfined", context({ seccompProfile: { type: "Unconfined" } }), ["seccompProfile.type", "seccompProfile.type"]],
  [
    "capabilities kept",
    context({ capabilities: { drop: ["NET_RAW"] } }),
    [`capabilities.drop is ["NET_RAW"]; allowed: ["ALL"]`],
  ],
  [
    "a capability of baseline",
    context({ capabilities: { drop: ["ALL"], add: ["CHOWN"] } }),
    ['capabilities.add[0] is "CHOWN"'],
  ],
  [
    "a capability of neither",
    context({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN"] } }),
    ["SYS_ADMIN", "SYS_ADMIN"],
  ],
  // What RDMA guides ask for; it would do nothing for a process that is not root (docs/decisions).
  [
    "IPC_LOCK",
    context({ capabilities: { drop: ["ALL"], add: ["IPC_LOCK"] } }),
    ['capabilities.add[0] is "IPC_LOCK"', 'capabilities.add[0] is "IPC_LOCK"'],
  ],
  [
    "a writable root",
    context({ readOnlyRootFilesystem: false }),
    ["readOnlyRootFilesystem is false; allowed: true; mount an emptyDir"],
  ],
  ["/proc unmasked", context({ procMount: "Unmasked" }), ['procMount is "Unmasked"; allowed: Default']],
  ["an SELinux user", context({ seLinuxOptions: { user: "system_u" } }), ['seLinuxOptions.user is "system_u"']],
  ["an SELinux type", context({ seLinuxOptions: { type: "spc_t" } }), ['seLinuxOptions.type is "spc_t"']],
  ["AppArmor off", context({ appArmorProfile: { type: "Unconfined" } }), ["appArmorProfile.type"]],
  [
    "an unsafe sysctl",
    pod({ securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }),
    ['sysctls[0].name is "kernel.msgmax"'],
  ],
  [
    "host namespaces",
    pod({ hostNetwork: true, hostPID: true, hostIPC: true }),
    ["hostNetwork is true", "hostPID is true", "hostIPC is true"],
  ],
  [
    "a host path",
    pod({ volumes: [{ name: "dev", hostPath: { path: "/dev" } }] }),
    ['volumes[0].hostPath is {"path":"/dev"}; allowed: no path of the host'],
  ],
  ["an NFS volume", pod({ volumes: [{ name: "n", nfs: { server: "s", path: "/" } }] }), ["volumes[0].nfs"]],
  ["a host port", inContainer({ ports: [{ containerPort: 80, hostPort: 80 }] }), ["ports[0].hostPort is 80"]],
  [
    "a probe of another host",
    inContainer({ livenessProbe: { httpGet: { host: "169.254.169.254", port: 80 } } }),
    ["livenessProbe.httpGet.host"],
  ],
  [
    "a hook to another host",
    inContainer({ lifecycle: { preStop: { httpGet: { host: "10.0.0.1", port: 80 } } } }),
    ["lifecycle.preStop.httpGet.host"],
  ],
  [
    "the token left to the default",
    pod({ automountServiceAccountToken: undefined }),
    ["automountServiceAccountToken is not set; allowed: false"],
  ],
  [
    "a token of the default account",
    pod({ automountServiceAccountToken: true }),
    ["automountServiceAccountToken is true"],
  ],

  // An exception is for the pods of a namespace's chart, which policies do not see.
  ...["observability", "gpu-metrics", "node-metrics"].map(
    (name) => [`a privileged pod of ours in ${name}`, inNamespace(name, privileged), [...PRIVILEGED_OFFENCES]] as const,
  ),
  ["whatever the namespace", inNamespace(UNKNOWN, privileged), [...PRIVILEGED_OFFENCES]],
  [
    "an ephemeral container",
    pod({ ephemeralContainers: [container({ securityContext: { ...hardened, privileged: true } })] }),
    ["ephemeralContainers[0].securityContext.privileged is true"],
  ],
  [
    "a patch of a pod",
    [object("core/v1", "PodPatch", { spec: { containers: [{ name: "x", securityContext: { privileged: true } }] } })],
    ['PodPatch "chat": spec.containers[0].securityContext.privileged is true'],
  ],
  ["a patch that leaves security alone", [deploymentPatch({ containers: [{ name: "x", args: [] }] })], "pass"],
  ["a patch that takes the host's network", [deploymentPatch({ hostNetwork: true })], ["hostNetwork is true"]],
  [
    "a pod under a key of its own",
    [workload("serving.kserve.io/v1beta1", "InferenceService", { predictor: podSpec({ hostPID: true }) })],
    ["spec.predictor.hostPID is true"],
  ],
  [
    "a container under a key of its own",
    [workload("argoproj.io/v1alpha1", "Workflow", { templates: [{ container: privilegedContainer }] })],
    ["spec.templates[0].container.securityContext.privileged is true"],
  ],
  [
    "a pod template under podSpec",
    [workload("batch.acme.io/v1", "Run", { podSpec: podSpec({ hostIPC: true }) })],
    ["spec.podSpec.hostIPC is true"],
  ],
  [
    "pods of the gateway's proxies",
    [envoyProxy({ pod: { securityContext: { runAsUser: 0 } }, container: privilegedContainer })],
    [
      "envoyDeployment.pod.securityContext.runAsUser is 0",
      "envoyDeployment.container.securityContext.privileged is true",
    ],
  ],
  [
    "a patch of the gateway's proxies",
    [envoyProxy({ patch: { value: { spec: { template: { spec: { hostNetwork: true } } } } } })],
    ["hostNetwork is true"],
  ],
  [
    "a volume of the host in a part of a pod",
    [envoyProxy({ pod: { volumes: [{ name: "host", hostPath: { path: "/" } }] } })],
    ["volumes[0].hostPath"],
  ],
  [
    "a projected token of the default account",
    pod({ volumes: [{ name: "token", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] }),
    ["sources[0].serviceAccountToken is"],
  ],
  ["an account without a token", [account({ automountServiceAccountToken: false })], "pass"],
  [
    "an account with a token for all its pods",
    [account({ automountServiceAccountToken: true })],
    ["is true; allowed: false"],
  ],
  ["an account that says nothing", [account({})], ["automountServiceAccountToken is not set"]],
  [
    "a namespace relabelled by a patch",
    [
      object(
        "core/v1",
        "NamespacePatch",
        {},
        { name: "model-chat", labels: { "pod-security.kubernetes.io/enforce": "privileged" } },
      ),
    ],
    ['NamespacePatch "model-chat": metadata.labels["pod-security.kubernetes.io/enforce"] is "privileged"'],
  ],
  [
    "an old version of the level",
    [
      object(
        "core/v1",
        "Namespace",
        {},
        {
          name: "model-chat",
          labels: {
            "pod-security.kubernetes.io/enforce": "restricted",
            "pod-security.kubernetes.io/enforce-version": "v1.0",
          },
        },
      ),
    ],
    ['enforce-version"] is "v1.0"; allowed: latest'],
  ],
  ["a restricted namespace", [namespace("model-chat", "restricted")], "pass"],
  ["the object that an exception names", [calico("calico-node", "calico-system")], "pass"],
  ["another object of that namespace", [calico("other", "calico-system")], [...PRIVILEGED_OFFENCES]],
  ["an object of that name elsewhere", [calico("calico-node", "model-chat")], [...PRIVILEGED_OFFENCES]],
  ["one of another kind", [calico("calico-node", "calico-system", "Deployment")], [...PRIVILEGED_OFFENCES]],
  ["the object of a baseline exception, as root", [rancher("cattle-cluster-agent")], "pass"],
  [
    "the object of a baseline exception, beyond that level",
    [rancher("cattle-cluster-agent", { hostNetwork: true })],
    ["hostNetwork is true"],
  ],
  [
    "another object there, as root",
    [rancher("other")],
    [
      "allowPrivilegeEscalation",
      "runAsNonRoot",
      "runAsUser is 0",
      "seccompProfile",
      "capabilities.drop",
      "readOnlyRootFilesystem",
    ],
  ],
  ["a baseline namespace", [namespace("cattle-system", "baseline")], "pass"],
  [
    "a baseline namespace that is privileged",
    [namespace("cattle-system", "privileged")],
    ['privileged"; allowed: baseline'],
  ],
  ["an excepted namespace", [namespace("gpu-metrics", "privileged")], "pass"],
  [
    "a privileged namespace without a reason",
    [namespace("model-chat", "privileged")],
    [
      'Namespace "model-chat": metadata.labels["pod-security.kubernetes.io/enforce"] is "privileged"; allowed: restricted',
    ],
  ],
  ["a namespace without a level", [namespace("model-chat", undefined)], ["is not set; allowed: restricted"]],

  ["unknown context", inContainer({ securityContext: UNKNOWN }), "unknown"],
  ["unknown label", [namespace("model-chat", UNKNOWN)], "unknown"],
  ["unknown name", [namespace(UNKNOWN, "privileged")], "unknown"],
  ...Object.entries(HOMES).map(
    ([kind, home]) =>
      [`host network in a ${kind}`, [home({ spec: podSpec({ hostNetwork: true }) })], ["hostNetwork is true"]] as const,
  ),
]);
