import { z } from "zod";
import { describeObject, type KubernetesObject } from "../../../kubernetes/object";

const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().default(""),
  message: z.string().default(""),
  observedGeneration: z.number().optional(),
});
const conditions = z.array(condition).default([]);
const reference = z.object({
  kind: z.string().default("Gateway"),
  name: z.string(),
  sectionName: z.string().optional(),
});

/** Status fields in kinds of Gateway API, Envoy Gateway and the AI gateway. */
const withStatus = z.object({
  status: z
    .object({
      conditions,
      listeners: z.array(z.object({ name: z.string(), conditions, attachedRoutes: z.number().optional() })).default([]),
      parents: z.array(z.object({ parentRef: reference, conditions })).default([]),
      ancestors: z.array(z.object({ ancestorRef: reference, conditions })).default([]),
    })
    .default({ conditions: [], listeners: [], parents: [], ancestors: [] }),
});

export interface Condition {
  /** `<Kind> <namespace>/<name>` */
  readonly object: string;
  /** The listener, Gateway or route concerned; empty for the whole object. */
  readonly of: string;
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Whether it refers to the current generation. */
  readonly current: boolean;
}

export function conditionsOf(object: KubernetesObject): Condition[] {
  const { status } = withStatus.parse(object);
  const name = (of: z.output<typeof reference>) =>
    [of.kind, of.name, ...(of.sectionName === undefined ? [] : [of.sectionName])].join("/");
  const groups = [
    { of: "", conditions: status.conditions },
    ...status.listeners.map((listener) => ({ of: listener.name, conditions: listener.conditions })),
    ...status.parents.map(({ parentRef, conditions: all }) => ({ of: name(parentRef), conditions: all })),
    ...status.ancestors.map(({ ancestorRef, conditions: all }) => ({ of: name(ancestorRef), conditions: all })),
  ];
  return groups.flatMap(({ of, conditions: all }) =>
    all.map(({ observedGeneration, ...rest }) => ({
      object: describeObject(object),
      of,
      ...rest,
      current: observedGeneration === undefined || observedGeneration === object.metadata.generation,
    })),
  );
}

/**
 * Conditions that report problems (listener, route and policy types of Gateway API 1.6, `Warning`
 * of Envoy Gateway 1.9, `NotAccepted` of the AI gateway 1.0).
 */
const COMPLAINTS = [
  "Conflicted",
  "Detached",
  "InsecureFrontendValidationMode",
  "NotAccepted",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "Warning",
];
/** Intended combinations of listener and route policies in Envoy Gateway. */
const FACTS = ["Aggregated", "Merged", "Overridden"];

/** Whether a condition reports a problem, or is not yet ready. */
export function isComplaint({ type, status, current }: Condition): boolean {
  if (FACTS.includes(type)) {
    return false;
  }
  return !current || (COMPLAINTS.includes(type) ? status !== "False" : status !== "True");
}
