import { type Field, isObject } from "./field";
import type { Container, PodTemplate } from "./pods";
import { isTrue } from "./rows";

/**
 * Pod Security Standards of Kubernetes 1.36,
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/ `restricted` includes
 * `baseline`.
 */
export interface Offence {
  readonly field: Field;
  readonly allowed: string;
}

type Check = (pod: PodTemplate) => Offence[];

export function offences(pod: PodTemplate, level: "baseline" | "restricted"): Offence[] {
  const checks = level === "restricted" ? [...BASELINE, ...RESTRICTED] : BASELINE;
  return checks.flatMap((check) => check(pod));
}

/** `securityContext` of pod and containers must pass; absent fields do. */
function everyContext(path: readonly string[], isAllowed: (value: unknown) => boolean, allowed: string): Check {
  return (pod) =>
    [...new Set([pod.spec, ...pod.containers.map(({ field }) => field)])]
      .map((holder) => holder.get("securityContext", ...path))
      .filter((field) => field.is((value) => !isAbsent(value) && !isAllowed(value)))
      .map((field) => ({ field, allowed }));
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** A value inherited from the pod, required in the pod or the container. */
function effectiveContext(path: readonly string[], isAllowed: (value: unknown) => boolean, allowed: string): Check {
  return (pod) =>
    pod.containers
      .map(({ field }) => field.get("securityContext", ...path))
      .filter((own) => own.is((value) => (isAbsent(value) ? !pod.isPartial : !isAllowed(value))))
      .filter(
        (own) =>
          own.value !== undefined ||
          pod.spec.get("securityContext", ...path).is((value) => value === undefined || !isAllowed(value)),
      )
      .map((field) => ({ field, allowed: `${allowed} (here or in the pod's securityContext)` }));
}

/** A value that every container must set. */
function containerContext(path: readonly string[], isAllowed: (value: unknown) => boolean, allowed: string): Check {
  return (pod) =>
    pod.containers
      .map(({ field }) => field.get("securityContext", ...path))
      .filter((field) => field.is((value) => (isAbsent(value) ? !pod.isPartial : !isAllowed(value))))
      .map((field) => ({ field, allowed }));
}

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value);

const BASELINE_CAPABILITIES = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
];

const SAFE_SYSCTLS = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
];

/** Annotations for profiles of kubelets before 1.30, which newer ones still honour. */
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

const RESTRICTED_VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const BASELINE: readonly Check[] = [
  (pod) =>
    ["hostNetwork", "hostPID", "hostIPC"]
      .map((name) => pod.spec.get(name))
      .filter((field) => field.is(isTrue))
      .map((field) => ({ field, allowed: "false" })),
  (pod) =>
    volumeSources(pod)
      .filter(({ type }) => type === "hostPath")
      .map(({ field }) => ({ field, allowed: "no path of the host" })),
  (pod) =>
    pod.containers
      .flatMap(({ field }) => field.get("ports").items())
      .map((port) => port.get("hostPort"))
      .filter((field) => field.is((value) => value !== undefined && value !== 0))
      .map((field) => ({ field, allowed: "no port of the host" })),
  (pod) => pod.containers.flatMap(hostHandlers),
  everyContext(["privileged"], isOneOf(false), "false"),
  everyContext(["windowsOptions", "hostProcess"], isOneOf(false), "false"),
  (pod) =>
    pod.metadata
      .get("annotations")
      .entries()
      .filter(([key]) => key.startsWith(APP_ARMOR))
      .filter(([, field]) => field.is((value) => !/^(|runtime\/default|localhost\/.+)$/.test(String(value))))
      .map(([, field]) => ({ field, allowed: "runtime/default, or a profile of the node" })),
  addedCapabilities(BASELINE_CAPABILITIES),
  everyContext(["appArmorProfile", "type"], isOneOf("RuntimeDefault", "Localhost"), "RuntimeDefault or Localhost"),
  everyContext(["seccompProfile", "type"], isOneOf("RuntimeDefault", "Localhost"), "RuntimeDefault or Localhost"),
  everyContext(
    ["seLinuxOptions", "type"],
    isOneOf("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t"),
    "container_t",
  ),
  everyContext(["seLinuxOptions", "user"], isOneOf(""), "no SELinux user"),
  everyContext(["seLinuxOptions", "role"], isOneOf(""), "no SELinux role"),
  everyContext(["procMount"], isOneOf("Default"), "Default"),
  (pod) =>
    pod.spec
      .get("securityContext", "sysctls")
      .items()
      .map((sysctl) => sysctl.get("name"))
      .filter((field) => field.is((value) => !SAFE_SYSCTLS.includes(String(value))))
      .map((field) => ({ field, allowed: SAFE_SYSCTLS.join(", ") })),
];

const RESTRICTED: readonly Check[] = [
  (pod) =>
    volumeSources(pod)
      .filter(({ type }) => type !== "hostPath" && !RESTRICTED_VOLUMES.includes(type))
      .map(({ field }) => ({ field, allowed: `volumes of type ${RESTRICTED_VOLUMES.join(", ")}` })),
  containerContext(["allowPrivilegeEscalation"], isOneOf(false), "false"),
  effectiveContext(["runAsNonRoot"], isOneOf(true), "true"),
  // Chart templates turn texts into numbers and booleans.
  everyContext(["runAsUser"], (value) => Number(value) !== 0, "a user other than 0"),
  effectiveContext(["seccompProfile", "type"], isOneOf("RuntimeDefault", "Localhost"), "RuntimeDefault or Localhost"),
  (pod) =>
    pod.containers
      .map(({ field }) => field.get("securityContext", "capabilities", "drop"))
      .filter((field) =>
        field.is((value) => (isAbsent(value) ? !pod.isPartial : !(Array.isArray(value) && value.includes("ALL")))),
      )
      .map((field) => ({ field, allowed: '["ALL"]' })),
  addedCapabilities(["NET_BIND_SERVICE"]),
];

function addedCapabilities(permitted: readonly string[]): Check {
  return (pod) =>
    pod.containers
      .flatMap(({ field }) => field.get("securityContext", "capabilities", "add").items())
      .filter((capability) => capability.is((value) => !permitted.includes(String(value))))
      .map((field) => ({ field, allowed: `no capability besides ${permitted.join(", ")}` }));
}

/** Each volume with its type: the property besides its name. */
function volumeSources({ spec }: PodTemplate): { readonly type: string; readonly field: Field }[] {
  return spec
    .get("volumes")
    .items()
    .flatMap((volume) => volume.entries())
    .filter(([type, field]) => type !== "name" && field.is(isObject))
    .map(([type, field]) => ({ type, field }));
}

/**
 * Probes and lifecycle hooks must call the pod itself: another host lets the kubelet reach anything
 * (since 1.34).
 */
function hostHandlers({ field }: Container): Offence[] {
  const handlers = [
    ...["livenessProbe", "readinessProbe", "startupProbe"].map((probe) => field.get(probe)),
    ...["postStart", "preStop"].map((hook) => field.get("lifecycle", hook)),
  ];
  return handlers
    .flatMap((handler) => ["httpGet", "tcpSocket"].map((action) => handler.get(action, "host")))
    .filter((host) => host.is((value) => value !== undefined && value !== ""))
    .map((host) => ({ field: host, allowed: "no host: the pod itself" }));
}
