import { type PodSecurityLevel, podSecurityLevel } from "../../../names/pod-security";

/** Namespaces of k3s. */
const OF_K3S: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: "kube-system",
    reason:
      "k3s' own pods: servicelb takes ports of the machine and writes its packet filter, the helpers of local-path make folders of the machine",
  },
];

/**
 * Namespaces exempt from Pod Security on this machine: `privileged` exceptions of
 * `names/pod-security.ts`, and k3s' own. Labels use the same list. `baseline` exceptions are
 * enforced by label, so not exempt.
 *
 * @param namespaces all of the environment. Exceptions by label are ignored: they apply to pods
 *   that span machines.
 */
export function exemptNamespaces(namespaces: readonly string[]): string[] {
  const excepted = namespaces.filter((name) => podSecurityLevel({ name, labels: {} }) === "privileged");
  return [...new Set([...OF_K3S.map(({ name }) => name), ...excepted])].sort();
}

/** Default level of namespaces without labels. */
const DEFAULT_LEVEL: PodSecurityLevel = "restricted";

/**
 * Event rate limits of the API server, in total (RKE's value) and per namespace, for isolation. The
 * CIS guide of k3s enables the plugin without limits, which prevents startup ("limits: must not be
 * empty", kubernetes plugin/pkg/admission/eventratelimit).
 */
const EVENT_LIMITS = [
  { type: "Server", qps: 5000, burst: 20_000 },
  { type: "Namespace", qps: 50, burst: 500, cacheSize: 2000 },
];

/** Configuration of the API server's admission plugins, as plain data. */
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
