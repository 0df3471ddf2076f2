import { podSecurityLevel } from "../../components/core/pod-security";
import type { Field } from "../lib/field";
import { offences } from "../lib/pod-security-standard";
import { containers, type PodTemplate, podTemplates } from "../lib/pods";
import { type Report, resourcePolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

const ENFORCE_LABEL = "pod-security.kubernetes.io/enforce";

export const restrictedSecurityContext = resourcePolicy(
  {
    name: "restricted-security-context",
    description:
      "Pods meet Pod Security restricted, with a read-only root file system and no service-account token unless used; " +
      "only the namespaces listed with a reason may ask for less.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "pod-security"],
    framework: {
      name: "Pod Security Standards",
      version: "v1.36",
      reference: "https://kubernetes.io/docs/concepts/security/pod-security-standards/",
      specification: "restricted",
    },
    remediationSteps:
      "Build the pod with hardenedPodSpec(); an exception is a namespace in POD_SECURITY_EXCEPTIONS of components/core/pod-security, with its reason.",
  },
  (resource, report) => {
    if (resource.kind === "Namespace") {
      checkNamespace(resource, report);
      return;
    }
    const pods = podTemplates(resource);
    const namespace = pods.length > 0 ? namespaceName(namespaceOf(resource)) : undefined;
    if (namespace === undefined) {
      return;
    }
    const level = podSecurityLevel(namespace);
    for (const pod of pods) {
      if (level !== "privileged") {
        for (const offence of offences(pod, level)) {
          report({ resource, ...offence });
        }
      }
      if (level === "restricted") {
        checkHouseRules(resource, pod, report);
      }
    }
  },
);

/** Name of the namespace; undefined while it is unknown, since it may be one of the exceptions. */
function namespaceName(field: Field): string | undefined {
  return field.is((value) => value === undefined || value === null) ? "default" : field.text();
}

function checkNamespace(resource: Resource, report: Report): void {
  const name = resource.props.get("metadata", "name").text();
  const enforced = resource.props.get("metadata", "labels", ENFORCE_LABEL);
  const level = name === undefined ? undefined : podSecurityLevel(name);
  if (level !== undefined && enforced.is((value) => value !== level)) {
    report({ resource, field: enforced, allowed: level });
  }
}

function checkHouseRules(resource: Resource, { spec, ...pod }: PodTemplate, report: Report): void {
  for (const { field } of containers({ spec, ...pod })) {
    const readOnly = field.get("securityContext", "readOnlyRootFilesystem");
    if (readOnly.is((value) => value !== true)) {
      report({ resource, field: readOnly, allowed: "true; mount an emptyDir where the container writes" });
    }
  }
  const token = spec.get("automountServiceAccountToken");
  const account = spec.get("serviceAccountName");
  const usesDefaultAccount = account.is((value) => value === undefined || value === "" || value === "default");
  if (token.is((value) => value !== false && !(value === true && !usesDefaultAccount))) {
    report({ resource, field: token, allowed: "false, or true for a pod with a service account of its own" });
  }
}
