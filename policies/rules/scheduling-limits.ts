import { exceptedLevel } from "../../names/pod-security";
import { chartPods } from "../lib/chart-pods";
import type { Field } from "../lib/field";
import { podTemplates } from "../lib/pods";
import { resourcePolicy } from "../lib/policy";
import { namespaceOf, type Resource } from "../lib/resource";
import { broken, isGiven, isOneOf, isTrue, type Row } from "../lib/rows";

const CONTROL_PLANE = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/** The platform's own highest class is lower; Kubernetes' own begin at two thousand times this. */
const MOST_PRIORITY = 1_000_000;

const CLASSES: readonly Row[] = [
  {
    on: ["PriorityClass"],
    path: "value",
    isWrong: (value) => Number(value) > MOST_PRIORITY,
    allowed: `at most ${MOST_PRIORITY}: nothing drives out the platform`,
  },
  { on: ["PriorityClass"], path: "globalDefault", isWrong: isTrue, allowed: "false: pods name their class" },
];

export const schedulingLimits = resourcePolicy(
  {
    name: "scheduling-limits",
    description:
      "Pods go where the scheduler puts them: none names its node, tolerates every taint or the control plane's, or takes a priority of the system; no priority class ranks above the platform's, or is the global default.",
    severity: "high",
    enforcementLevel: "mandatory",
    tags: ["isolation", "scheduling"],
    remediationSteps:
      "Take nodeSelector, tolerations and priorityClassName from the model's plan and the platform's classes.",
  },
  (resource, report) => {
    for (const finding of [...broken(CLASSES, resource), ...(isListed(resource) ? [] : inPods(resource))]) {
      report({ resource, ...finding });
    }
  },
);

interface Finding {
  readonly field: Field;
  readonly allowed: string;
}

function inPods(resource: Resource): Finding[] {
  const ofChart = chartPods(resource).filter(({ level }) => level !== "privileged");
  return [...podTemplates(resource), ...ofChart].flatMap(({ spec }) => [
    ...[spec.get("nodeName")]
      .filter((field) => field.is(isGiven))
      .map((field) => ({ field, allowed: "no node by name, which passes the scheduler by" })),
    ...[spec.get("priorityClassName")]
      .filter((field) => field.is((name) => String(name).startsWith("system-")))
      .map((field) => ({ field, allowed: "a class of the platform's" })),
    ...[spec.get("priority")]
      .filter((field) => field.is((value) => Number(value) > MOST_PRIORITY))
      .map((field) => ({ field, allowed: "a class of the platform's" })),
    ...spec
      .get("tolerations")
      .items()
      .filter((toleration) => toleratesTooMuch(toleration))
      .map((field) => ({ field, allowed: "tolerations of taints by their keys, and none of the control plane's" })),
    ...selected(spec).map((field) => ({ field, allowed: "labels of nodes that pods are for" })),
  ]);
}

function toleratesTooMuch(toleration: Field): boolean {
  const key = toleration.get("key");
  const isAny = key.is((value) => value === undefined || value === "");
  return (isAny && toleration.get("operator").is((value) => value === "Exists")) || key.is(isOneOf(...CONTROL_PLANE));
}

function selected(spec: Field): Field[] {
  const selector = spec.get("nodeSelector");
  const terms = spec.get(
    ...["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"],
  );
  const expressions = terms.items().flatMap((term) => term.get("matchExpressions").items());
  return [
    ...CONTROL_PLANE.map((label) => selector.get(label)).filter((field) => field.is((value) => value !== undefined)),
    ...expressions.filter(
      (expression) =>
        expression.get("key").is(isOneOf(...CONTROL_PLANE)) && expression.get("operator").is(isOneOf("In", "Exists")),
    ),
  ];
}

/** Agents on every node that a Pod Security exception names. */
function isListed(resource: Resource): boolean {
  const name = resource.props.get("metadata", "name").text();
  return exceptedLevel({ kind: resource.kind, name, namespace: namespaceOf(resource).text() }) === "privileged";
}
