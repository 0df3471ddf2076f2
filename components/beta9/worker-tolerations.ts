import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { BETA9_NAMESPACE } from "../../names/namespaces";
import type { Taint } from "../../planner/types";
import { toleration } from "../core/hardened-pod";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { workerPods } from "./names";

export interface WorkerTolerationsArgs {
  /** Taints of the nodes that workers use. */
  readonly taints: readonly Taint[];
}

const POLICY = "beta9-worker-tolerations";

/**
 * Beta9's gateway has no setting for tolerations, so the API server adds them to workers.
 * `MutatingAdmissionPolicy` is stable since Kubernetes 1.36.
 */
export class WorkerTolerations extends PlatformComponent {
  constructor(name: string, args: WorkerTolerationsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("beta9:WorkerTolerations", name, opts);
    const metadata = { name: POLICY, labels: standardLabels("beta9", POLICY) };
    const policy = new kubernetes.admissionregistration.v1.MutatingAdmissionPolicy(
      this.child("policy"),
      {
        metadata,
        spec: {
          // Without tolerations, a worker would wait silently.
          failurePolicy: "Fail",
          reinvocationPolicy: "Never",
          matchConstraints: {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": BETA9_NAMESPACE } },
            objectSelector: { matchLabels: workerPods },
            resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
          },
          mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: addTolerations(args.taints) } }],
        },
      },
      this.childOptions(),
    );
    new kubernetes.admissionregistration.v1.MutatingAdmissionPolicyBinding(
      this.child("binding"),
      { metadata, spec: { policyName: named(policy, POLICY) } },
      this.childOptions(),
    );
    this.registerOutputs({});
  }
}

/** CEL, because apply cannot merge lists of pods. */
function addTolerations(taints: readonly Taint[]): string {
  const values = taints.map((taint) => {
    const fields = Object.entries(toleration(taint)).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
    return `Object.spec.tolerations{${fields.join(", ")}}`;
  });
  const append = values.map((value) => `JSONPatch{op: "add", path: "/spec/tolerations/-", value: ${value}}`);
  const create = `JSONPatch{op: "add", path: "/spec/tolerations", value: [${values.join(", ")}]}`;
  return `has(object.spec.tolerations) ? [${append.join(", ")}] : [${create}]`;
}
