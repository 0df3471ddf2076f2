import type { KubernetesObject } from "../../../kubernetes/object";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../rehearsal/cluster/wait";

export interface Refusal {
  /** API group, version and resource, such as `apps/v1/statefulsets`; the core group is `""`. */
  readonly resource: { readonly group: string; readonly version: string; readonly plural: string };
  /** CEL: which requests are refused. */
  readonly when: string;
  /** What whoever asks is told. */
  readonly message: string;
  /** A request that is refused; it is only tried. */
  readonly example: KubernetesObject;
}

const NAME = "frozen";

/** Has the API server refuse to create objects, by a ValidatingAdmissionPolicy, and waits until it does. */
export async function refuse(client: ApiClient, refusal: Refusal): Promise<void> {
  for (const object of policyOf(refusal)) {
    await client.create(object);
  }
  await waitFor("the admission policy", async () => ((await isRefused(client, refusal)) ? true : undefined));
}

/** Takes the policy away, and waits until the API server has forgotten it. */
export async function admit(client: ApiClient, refusal: Refusal): Promise<void> {
  for (const object of policyOf(refusal)) {
    await client.delete(object);
  }
  await waitFor("the end of the admission policy", async () => ((await isRefused(client, refusal)) ? undefined : true));
}

async function isRefused(client: ApiClient, { example, message }: Refusal): Promise<boolean> {
  try {
    await client.apply(example, { dryRun: true });
    return false;
  } catch (error) {
    return error instanceof Error && error.message.includes(message);
  }
}

function policyOf({ resource: { group, version, plural }, when, message }: Refusal): KubernetesObject[] {
  return [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: NAME },
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          resourceRules: [{ apiGroups: [group], apiVersions: [version], resources: [plural], operations: ["CREATE"] }],
        },
        validations: [{ expression: `!(${when})`, message }],
      },
    },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: NAME },
      spec: { policyName: NAME, validationActions: ["Deny"] },
    },
  ];
}
