import { type PodSecurityLevel, podSecurityLevel } from "../../../names/pod-security";

/** Namespaces that k3s itself fills. */
const OF_K3S: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: "kube-system",
    reason:
      "k3s' own pods: servicelb takes ports of the machine and writes its packet filter, the helpers of local-path make folders of the machine",
  },
];

/**
 * Namespaces that Pod Security leaves alone on this machine: those of the environment whose exception in `names/pod-security.ts` is
 * `privileged`, and k3s' own. One list gives both these and the labels of namespaces, so that the two cannot differ. One that is
 * `baseline` by its exception is held to that by its label, and is none of these.
 *
 * @param namespaces all that the environment makes. No label counts: the exceptions that go by one are of pods that span machines.
 */
export function exemptNamespaces(namespaces: readonly string[]): string[] {
  const excepted = namespaces.filter((name) => podSecurityLevel({ name, labels: {} }) === "privileged");
  return [...new Set([...OF_K3S.map(({ name }) => name), ...excepted])].sort();
}

/** What every other namespace gets where its labels say nothing. */
const DEFAULT_LEVEL: PodSecurityLevel = "restricted";

/**
 * Events that the API server takes, of all and of each namespace. A plugin that is on without limits keeps the API server from starting
 * ("limits: must not be empty", kubernetes plugin/pkg/admission/eventratelimit); the CIS guide of k3s turns it on and leaves them
 * out. The first is what RKE sets, the second keeps one namespace from taking all of it.
 */
const EVENT_LIMITS = [
  { type: "Server", qps: 5000, burst: 20_000 },
  { type: "Namespace", qps: 50, burst: 500, cacheSize: 2000 },
];

/** What the API server's admission plugins are told, as plain data. */
export function admissionConfig(exempt: readonly string[]): object {
  return {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AdmissionConfiguration",
    plugins: [
      {
        name: "PodSecurity",
        configuration: {
          apiVersion: "pod-security.admission.config.k8s.io/v1",
          kind: "PodSecurityConfiguration",
          defaults: Object.fromEntries(
            ["enforce", "audit", "warn"].flatMap((mode) => [
              [mode, DEFAULT_LEVEL],
              [`${mode}-version`, "latest"],
            ]),
          ),
          exemptions: { usernames: [], runtimeClasses: [], namespaces: exempt },
        },
      },
      {
        name: "EventRateLimit",
        configuration: {
          apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
          kind: "Configuration",
          limits: EVENT_LIMITS,
        },
      },
    ],
  };
}
