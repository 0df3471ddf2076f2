import { restrictedSecurityContext } from "../../../policies/rules/restricted-security-context";
import { container, deployment, HOMES, object, podSpec, policyCases, UNKNOWN, workload } from "../cases";

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
const contextPath = "spec.template.spec.containers[0].securityContext";

policyCases(restrictedSecurityContext, [
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
  ["NET_BIND_SERVICE", context({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }), "pass"],

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

  ["an excepted namespace may be privileged", inNamespace("gpu-metrics", privileged), "pass"],
  [
    "other namespaces may not",
    inNamespace("observability", privileged).slice(0, 1),
    [
      "hostNetwork is true",
      "privileged is true",
      "allowPrivilegeEscalation",
      "runAsNonRoot",
      "seccompProfile",
      "capabilities.drop",
      "readOnlyRootFilesystem",
    ],
  ],
  ["a restricted namespace", [namespace("model-chat", "restricted")], "pass"],
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
  ["unknown namespace: it may be an exception", inNamespace(UNKNOWN, privileged), "unknown"],
  ["unknown label", [namespace("model-chat", UNKNOWN)], "unknown"],
  ["unknown name", [namespace(UNKNOWN, "privileged")], "unknown"],
  ...Object.entries(HOMES).map(
    ([kind, home]) =>
      [`host network in a ${kind}`, [home({ spec: podSpec({ hostNetwork: true }) })], ["hostNetwork is true"]] as const,
  ),
]);
