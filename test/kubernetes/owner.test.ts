import { describe, expect, it } from "vitest";
import { ownerOf } from "../../kubernetes/owner";

const urn = (...types: readonly string[]) => ({ urn: `urn:pulumi:prod::inference-stacks::${types.join("$")}::x` });
const PLATFORM = "inference:platform:Platform";

describe("whose a resource is with gitops", () => {
  it.each([
    ["the stack itself", urn("pulumi:pulumi:Stack"), "up"],
    ["a machine", urn("aws:ec2/instance:Instance"), "up"],
    ["a component", urn(PLATFORM, "inference:storage:ModelStore"), "up"],
    ["a password", urn(PLATFORM, "random:index/randomPassword:RandomPassword"), "up"],
    ["an object of the cluster's part", urn("inference:cluster:EksCluster", "kubernetes:core/v1:ConfigMap"), "up"],
    ["a namespace", urn(PLATFORM, "kubernetes:core/v1:Namespace"), "up"],
    ["a Secret", urn(PLATFORM, "inference:gateway:Tenants", "kubernetes:core/v1:Secret"), "up"],
    ["a policy of its network", urn(PLATFORM, "kubernetes:networking.k8s.io/v1:NetworkPolicy"), "up"],
    ["permissions in the whole cluster", urn(PLATFORM, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"), "up"],
    [
      "a binding in the whole cluster",
      urn(PLATFORM, "inference:gpu:NcclGate", "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"),
      "up",
    ],
    ["a binding in a namespace", urn(PLATFORM, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"), "folder"],
    ["a class of volumes", urn(PLATFORM, "kubernetes:storage.k8s.io/v1:StorageClass"), "up"],
    [
      "what Karpenter boots",
      urn(PLATFORM, "inference:autoscaling:Karpenter", "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"),
      "up",
    ],
    [
      "Argo CD",
      urn(PLATFORM, "inference:argo-cd:ArgoCd", "inference:core:Controller", "kubernetes:helm.sh/v3:Release"),
      "up",
    ],
    ["a chart", urn(PLATFORM, "inference:core:Controller", "kubernetes:helm.sh/v3:Release"), "folder"],
    ["a model", urn(PLATFORM, "inference:serving:Serving", "kubernetes:apps/v1:Deployment"), "folder"],
    ["a custom resource", urn(PLATFORM, "kubernetes:gateway.networking.k8s.io/v1:Gateway"), "folder"],
  ] as const)("%s", (_what, resource, owner) => {
    expect(ownerOf(resource)).toBe(owner);
  });
});
