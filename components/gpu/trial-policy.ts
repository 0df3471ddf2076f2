import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import type { PoolPlan } from "../../planner/types";
import { CERTIFIER_APP, certifierUsers, gatedPools, gateNamespace, POOL_LABEL, TRIAL_APP } from "./names";

/** Of the policy and of its binding. */
const NAME = "inference-fabric-trials";

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
 * Templates are parameters of the policy, read by the API server itself: only those who may write CronJobs there change them.
 *
 * @returns what must be there before a certifier has the right to create Jobs.
 */
export function trialPolicy(
  name: string,
  pools: readonly PoolPlan[],
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  const metadata = { name: NAME, labels: standardLabels(CERTIFIER_APP, "trials") };
  const templates = gatedPools(pools).map((pool) => `'${gateNamespace(pool)}/${pool.name}'`);
  const policy = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
    `${name}-policy`,
    {
      metadata: {
        ...metadata,
        annotations: { [ANNOTATIONS.description]: "Certifiers of RDMA networks make trials of their templates alone" },
      },
      spec: {
        failurePolicy: "Fail",
        paramKind: { apiVersion: "batch/v1", kind: "CronJob" },
        matchConstraints: {
          resourceRules: [{ apiGroups: ["batch"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["jobs"] }],
        },
        matchConditions: [
          { name: "certifiers", expression: `request.userInfo.username in [${certifierUsers(pools).join(", ")}]` },
        ],
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
        policyName: policy.metadata.name,
        // Of the namespace that the Job is made in.
        paramRef: {
          selector: { matchLabels: { "app.kubernetes.io/name": TRIAL_APP } },
          parameterNotFoundAction: "Deny",
        },
        validationActions: ["Deny"],
      },
    },
    opts,
  );
  return [policy, binding];
}
