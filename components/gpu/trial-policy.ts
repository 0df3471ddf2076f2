import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import type { PoolPlan } from "../../planner/types";
import { named } from "../core/known";
import {
  CERTIFIER_APP,
  certifierUsers,
  gatedPools,
  gateNamespace,
  gateNamespaces,
  POOL_LABEL,
  TRIAL_APP,
} from "./names";

/** Of the policy that compares trials with their templates, and of its binding. */
const NAME = "inference-fabric-trials";
/** Of the one by which every Job of a certifier is a trial: the other one asks for that label. */
const LABELLED = `${NAME}-labelled`;

const TRIAL = { "app.kubernetes.io/name": TRIAL_APP };

const OF_POOL = `[?'${POOL_LABEL}']`;
/** What the API server itself adds to the labels of a Job's pods. */
const OF_JOBS = ["batch.kubernetes.io/", "job-name", "controller-uid"].map((key) => `key.startsWith('${key}')`);

/** Of a Job, what a trial has from its template as it is. */
const AS_TEMPLATE = ["completions", "parallelism", "completionMode", "backoffLimit", "activeDeadlineSeconds"];

/**
 * Jobs of certifiers are trials as their pool's template says: nothing but which nodes they run on is a certifier's to choose. RBAC
 * knows no fields here either. Whoever has a certifier's token could otherwise run any image with any class of priority, and, where
 * trials are on the network of their nodes, as root of any node: Pod Security lets everything into that namespace.
 *
 * Templates are parameters of the policy, read by the API server itself: only those who may write CronJobs there change them. Where
 * it finds none, it denies whatever the binding selects, before it asks who made it: so the binding selects trials alone, by their
 * namespaces and their label, and a policy without parameters sees to it that certifiers make nothing without that label.
 *
 * @returns what must be there before a certifier has the right to create Jobs.
 */
export function trialPolicy(
  name: string,
  pools: readonly PoolPlan[],
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  const labels = standardLabels(CERTIFIER_APP, "trials");
  const metadata = { name: NAME, labels };
  const onJobs = {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [{ apiGroups: ["batch"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["jobs"] }],
    },
    matchConditions: [
      { name: "certifiers", expression: `request.userInfo.username in [${certifierUsers(pools).join(", ")}]` },
    ],
  };
  const labelled = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
    `${name}-policy-labelled`,
    {
      metadata: {
        name: LABELLED,
        labels,
        annotations: { [ANNOTATIONS.description]: "Every Job of a certifier of RDMA networks is a trial" },
      },
      spec: {
        ...onJobs,
        validations: [
          {
            expression: Object.entries(TRIAL)
              .map(([key, value]) => `object.metadata.?labels.orValue({})[?'${key}'] == optional.of('${value}')`)
              .join(" && "),
            message: "a Job of a certifier has the label of trials",
          },
        ],
      },
    },
    opts,
  );
  const labelledBinding = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
    `${name}-policy-labelled-binding`,
    {
      metadata: { name: LABELLED, labels },
      spec: { policyName: named(labelled, LABELLED), validationActions: ["Deny"] },
    },
    opts,
  );
  const templates = gatedPools(pools).map((pool) => `'${gateNamespace(pool)}/${pool.name}'`);
  const policy = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
    `${name}-policy`,
    {
      metadata: {
        ...metadata,
        annotations: { [ANNOTATIONS.description]: "Certifiers of RDMA networks make trials of their templates alone" },
      },
      spec: {
        ...onJobs,
        paramKind: { apiVersion: "batch/v1", kind: "CronJob" },
        variables: [
          { name: "own", expression: "object.metadata.?labels.orValue({})" },
          // Every template of the namespace is asked: all but one are other pools'.
          {
            name: "other",
            expression: `variables.own${OF_POOL} != params.spec.jobTemplate.metadata.?labels.orValue({})${OF_POOL}`,
          },
          { name: "pod", expression: "dyn(object.spec.template.spec)" },
          { name: "templates", expression: "dyn(params.spec.jobTemplate.spec.template.spec)" },
          { name: "labels", expression: "object.spec.template.metadata.?labels.orValue({})" },
          { name: "templateLabels", expression: "params.spec.jobTemplate.spec.template.metadata.?labels.orValue({})" },
        ],
        validations: [
          {
            expression: `request.namespace + '/' + variables.own${OF_POOL}.orValue('') in [${templates.join(", ")}]`,
            message: "a Job of a certifier has the label of a pool that is gated in its namespace",
          },
          {
            expression: `variables.other || (${[
              "variables.pod.all(key, key == 'affinity' || (key in variables.templates && variables.pod[key] == variables.templates[key]))",
              "variables.templates.all(key, key in variables.pod)",
            ].join(" && ")})`,
            message: "the pods of a trial are as its template says, but for the nodes that they run on",
          },
          {
            expression: `variables.other || (${[
              `variables.labels.all(key, ${OF_JOBS.join(" || ")} || (key in variables.templateLabels && variables.labels[key] == variables.templateLabels[key]))`,
              "object.spec.template.metadata.?annotations == params.spec.jobTemplate.spec.template.metadata.?annotations",
              ...AS_TEMPLATE.map((field) => `object.spec.?${field} == params.spec.jobTemplate.spec.?${field}`),
            ].join(" && ")})`,
            message: "a trial has the labels, annotations, number and time of its template",
          },
        ],
      },
    },
    opts,
  );
  const binding = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
    `${name}-policy-binding`,
    {
      metadata,
      spec: {
        policyName: named(policy, NAME),
        matchResources: {
          namespaceSelector: {
            matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: gateNamespaces(pools) }],
          },
          objectSelector: { matchLabels: TRIAL },
        },
        // Of the namespace that the Job is made in.
        paramRef: { selector: { matchLabels: TRIAL }, parameterNotFoundAction: "Deny" },
        validationActions: ["Deny"],
      },
    },
    opts,
  );
  return [labelled, labelledBinding, policy, binding];
}
