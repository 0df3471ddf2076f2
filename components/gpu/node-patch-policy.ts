import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { UNCERTIFIED } from "../../planner/fabric-gate";
import type { PoolPlan } from "../../planner/types";
import { named } from "../core/known";
import { CERTIFIER_APP, certifierUsers } from "./names";

const NAME = "inference-fabric-certifier";

/**
 * Node spec fields except taints, Kubernetes 1.33 to 1.36, without fields owned by the API server.
 */
const SPEC = ["configSource", "externalID", "podCIDR", "podCIDRs", "providerID", "unschedulable"];
const METADATA = ["labels", "finalizers", "ownerReferences"];

/**
 * Restricts certifiers to removing one taint and writing one annotation. RBAC has no field
 * permissions: a stolen certifier token could otherwise attract pods to a node or close it. Other
 * users are not affected.
 *
 * @returns prerequisites of a certifier's patch permission.
 */
export function nodePatchPolicy(
  name: string,
  pools: readonly PoolPlan[],
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource[] {
  const metadata = { name: NAME, labels: standardLabels(CERTIFIER_APP, "nodes") };
  const policy = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicy(
    `${name}-policy`,
    {
      metadata: {
        ...metadata,
        annotations: { [ANNOTATIONS.description]: "Certifiers of RDMA networks change nothing else of nodes" },
      },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["UPDATE"], resources: ["nodes"] }],
        },
        matchConditions: [
          { name: "certifiers", expression: `request.userInfo.username in [${certifierUsers(pools).join(", ")}]` },
        ],
        variables: [
          { name: "taints", expression: "object.spec.?taints.orValue([])" },
          { name: "before", expression: "oldObject.spec.?taints.orValue([])" },
          { name: "kept", expression: `variables.before.filter(taint, taint.key != '${UNCERTIFIED.key}')` },
          { name: "notes", expression: "object.metadata.?annotations.orValue({})" },
          { name: "notesBefore", expression: "oldObject.metadata.?annotations.orValue({})" },
        ],
        validations: [
          {
            expression: "variables.taints == variables.before || variables.taints == variables.kept",
            message: `of a node's taints only ${UNCERTIFIED.key} may be taken away, and none be added`,
          },
          {
            expression: [
              `variables.notes.all(key, key == '${ANNOTATIONS.fabricTrial}' || (key in variables.notesBefore && variables.notes[key] == variables.notesBefore[key]))`,
              `variables.notesBefore.all(key, key == '${ANNOTATIONS.fabricTrial}' || key in variables.notes)`,
            ].join(" && "),
            message: `of a node's annotations only ${ANNOTATIONS.fabricTrial} may be written`,
          },
          {
            expression: [...SPEC.map((field) => `spec.?${field}`), ...METADATA.map((field) => `metadata.?${field}`)]
              .map((path) => `object.${path} == oldObject.${path}`)
              .join(" && "),
            message: "nothing of a node may be changed but its taints and annotations",
          },
        ],
      },
    },
    opts,
  );
  const binding = new kubernetes.admissionregistration.v1.ValidatingAdmissionPolicyBinding(
    `${name}-policy-binding`,
    { metadata, spec: { policyName: named(policy, NAME), validationActions: ["Deny"] } },
    opts,
  );
  return [policy, binding];
}
