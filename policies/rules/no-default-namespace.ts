import { HELM_RELEASE } from "../../kubernetes/resource-types";
import clusterScopedKinds from "../data/cluster-scoped-kinds.json";
import { resourcePolicy } from "../lib/policy";
import { namespaceOf } from "../lib/resource";

const CLUSTER_SCOPED = new Set<string>(clusterScopedKinds.kinds);

export const noDefaultNamespace = resourcePolicy(
  {
    name: "no-default-namespace",
    description: "Namespaced objects and Helm releases name their namespace, and it is not default.",
    severity: "medium",
    enforcementLevel: "mandatory",
    tags: ["isolation"],
    remediationSteps:
      "Put the object into an IsolatedNamespace. A cluster-scoped kind belongs in policies/data/cluster-scoped-kinds.json.",
  },
  (resource, report) => {
    // Kinds that share names: Calico's are cluster-scoped, NVIDIA's pools namespaced.
    const isCalicos = /projectcalico.*:(IPPool|Profile)(Patch|List)?$/.test(resource.type);
    const isNamespaced =
      !isCalicos && resource.kind !== undefined && !CLUSTER_SCOPED.has(resource.kind.replace(/(Patch|List)$/, ""));
    if (!isNamespaced && resource.type !== HELM_RELEASE) {
      return;
    }
    const namespace = namespaceOf(resource);
    if (namespace.is((value) => value === undefined || value === null || value === "" || value === "default")) {
      report({ resource, field: namespace, allowed: "a namespace of its own" });
    }
  },
);
