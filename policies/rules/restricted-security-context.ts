import { exceptedLevel, type PartialException, partialException, podSecurityLevel } from "../../names/pod-security";
import { chartHostParts, chartPods } from "../lib/chart-pods";
import type { Field } from "../lib/field";
import { podDoors, projectedTokens, volumeDoors } from "../lib/pod-doors";
import { offences } from "../lib/pod-security-standard";
import { type PodTemplate, podTemplates } from "../lib/pods";
import { type Report, resourcePolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";

const ENFORCE_LABEL = "pod-security.kubernetes.io/enforce";
/** An old version of a level is less strict. */
const VERSION_LABEL = "pod-security.kubernetes.io/enforce-version";

export const restrictedSecurityContext = resourcePolicy(
  {
    name: "restricted-security-context",
    description:
      "Pods, found by their shape in objects of any kind, meet Pod Security restricted, with a read-only root file " +
      "system, no service-account token unless used, none for other systems, names as the cluster's DNS gives them, and no " +
      "folder of a node by way of a volume; only charts and objects listed with a reason may ask for less.",
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
      "Build the pod with hardenedPodSpec(); an exception, for the pods of a chart or of one object that it names, is a row of POD_SECURITY_EXCEPTIONS in names/pod-security, with its reason.",
  },
  (resource, report) => {
    if (resource.kind === "Namespace") {
      checkNamespace(resource, report);
      return;
    }
    if (resource.kind === "ServiceAccount") {
      checkServiceAccount(resource, report);
    }
    for (const door of volumeDoors(resource)) {
      report({ resource, ...door });
    }
    checkChart(resource, report);
    for (const pod of podTemplates(resource)) {
      for (const door of podDoors(pod)) {
        report({ resource, ...door });
      }
      const excepted = levelOf(resource);
      if (excepted === "baseline") {
        for (const offence of offences(pod, excepted)) {
          report({ resource, ...offence });
        }
      }
      if (excepted === undefined) {
        const exception = partialException({
          kind: resource.kind,
          labels: knownLabels(resource.props.get("metadata", "labels")),
        });
        const left = exception === undefined ? [] : leftOut(pod, exception);
        for (const offence of offences(pod, "restricted")) {
          if (!left.includes(offence.field.path)) {
            report({ resource, ...offence });
          }
        }
        checkRootFileSystems(resource, pod, report);
      }
      checkTokens(resource, pod, report);
    }
  },
);

/** Their namespace's level limits them. */
function checkChart(resource: Resource, report: Report): void {
  for (const pod of chartPods(resource).filter(({ level }) => level !== "privileged")) {
    for (const offence of [...podDoors(pod), ...offences(pod, pod.level === "baseline" ? "baseline" : "restricted")]) {
      report({ resource, ...offence });
    }
    checkRootFileSystems(resource, pod, report);
  }
  for (const field of chartHostParts(resource)) {
    report({ resource, field, allowed: "no path and no port of the host" });
  }
}

function checkNamespace(resource: Resource, report: Report): void {
  const name = resource.props.get("metadata", "name").text();
  const labels = resource.props.get("metadata", "labels");
  const enforced = labels.get(ENFORCE_LABEL);
  const level = name === undefined ? undefined : podSecurityLevel({ name, labels: knownLabels(labels) });
  if (level !== undefined && enforced.is((value) => value !== level && !isLeftOut(value, resource))) {
    report({ resource, field: enforced, allowed: level });
  }
  const version = labels.get(VERSION_LABEL);
  if (version.is((value) => value !== undefined && value !== "latest")) {
    report({ resource, field: version, allowed: "latest, or nothing, which is the API server's own version" });
  }
}

function knownLabels(labels: Field): Record<string, string> {
  return Object.fromEntries(
    labels.entries().flatMap(([key, field]) => (typeof field.value === "string" ? [[key, field.value]] : [])),
  );
}

function isLeftOut(value: unknown, { isPatch }: Resource): boolean {
  return isPatch && value === undefined;
}

function checkServiceAccount(resource: Resource, report: Report): void {
  const token = resource.props.get("automountServiceAccountToken");
  if (token.is((value) => value !== false && !isLeftOut(value, resource))) {
    report({
      resource,
      field: token,
      allowed: "false; pods that call the Kubernetes API ask for the token themselves",
    });
  }
}

function levelOf(resource: Resource): ReturnType<typeof exceptedLevel> {
  const name = resource.props.get("metadata", "name").text();
  return exceptedLevel({ kind: resource.kind, name, namespace: namespaceOf(resource).text() });
}

function leftOut({ spec }: PodTemplate, { ofPods, ofFirstContainer }: PartialException): string[] {
  const context = spec.get("containers", 0, "securityContext");
  return [...ofPods.map((name) => spec.get(name)), ...ofFirstContainer.map((name) => context.get(name))].map(
    ({ path }) => path,
  );
}

function checkRootFileSystems(resource: Resource, { containers, isPartial }: PodTemplate, report: Report): void {
  for (const { field } of containers) {
    const readOnly = field.get("securityContext", "readOnlyRootFilesystem");
    if (readOnly.is((value) => value !== true && !(isPartial && value === undefined))) {
      report({ resource, field: readOnly, allowed: "true; mount an emptyDir where the container writes" });
    }
  }
}

function checkTokens(resource: Resource, { spec, isPartial }: PodTemplate, report: Report): void {
  const account = spec.get("serviceAccountName");
  const usesDefaultAccount = account.is((value) => value === undefined || value === "" || value === "default");
  const hasOwnAccount = !usesDefaultAccount || isPartial;
  const token = spec.get("automountServiceAccountToken");
  const isTokenFree = (value: unknown) =>
    value === false || (value === true && hasOwnAccount) || (value === undefined && isPartial);
  if (token.is((value) => !isTokenFree(value))) {
    report({ resource, field: token, allowed: "false, or true for a pod with a service account of its own" });
  }
  for (const projected of projectedTokens(spec)) {
    if (!hasOwnAccount) {
      report({ resource, field: projected, allowed: "a token only for a pod with a service account of its own" });
    }
  }
}
