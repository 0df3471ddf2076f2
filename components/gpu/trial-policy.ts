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

/** Name of the policy that compares trials with templates, and of its binding. */
const NAME = "inference-fabric-trials";
/**
 * Policy that requires the trial label, by which the first policy selects, on all Jobs of
 * certifiers.
 */
const LABELLED = `${NAME}-labelled`;

const TRIAL = { "app.kubernetes.io/name": TRIAL_APP };

const OF_POOL = `[?'${POOL_LABEL}']`;
/** Pod labels that the API server adds for Jobs. */
const OF_JOBS = ["batch.kubernetes.io/", "job-name", "controller-uid"].map((key) => `key.startsWith('${key}')`);

/** Job fields that must equal the template's. */
const AS_TEMPLATE = ["completions", "parallelism", "completionMode", "backoffLimit", "activeDeadlineSeconds"];

/**
 * Restricts Jobs of certifiers to their pool's trial template, except nodes. RBAC has no field
 * permissions: a stolen certifier token could run any image at any priority, and as root on nodes
 * with host networking.
 *
 * Templates are policy parameters that the API server reads: only users who may write CronJobs
 * there can change them. Without a template the policy denies all that its binding selects, before
 * it checks the user. So the binding selects only trials, by namespace and label, and a policy
 * without parameters requires that label from certifiers.
 *
 * @returns prerequisites of a certifier's permission to create Jobs.
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
          // The policy evaluates every template of the namespace, mostly those of other pools.
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
        // Templates in the Job's namespace.
        paramRef: { selector: { matchLabels: TRIAL }, parameterNotFoundAction: "Deny" },
        validationActions: ["Deny"],
      },
    },
    opts,
  );
  return [labelled, labelledBinding, policy, binding];
}
