/** Access to a provisioned cluster's Kubernetes API. */
import { isPrivateNetwork } from "../../../names/cidr";
import type { Path } from "../core/problems";
import type { Rule, RuleContext } from "../core/rule";
import { inCidrForm } from "./cidr-form";

/** Larger networks are not only operators'. */
const SHORTEST_OPERATORS = 8;

const OPERATORS = "list the networks that kubectl and Pulumi are run from, such as 203.0.113.0/24";

/** Section and name of the provisioned cluster. */
function madeCluster({ sections: { cluster } }: RuleContext) {
  if (cluster?.provision !== "create") {
    return undefined;
  }
  switch (cluster.kind) {
    case "oci":
      return cluster.oke && { name: "oke", endpoint: cluster.oke.endpoint };
    case "aws":
      return cluster.eks && { name: "eks", endpoint: cluster.eks.endpoint };
    default:
      return undefined;
  }
}

export const kubernetesApiHasKnownClients: Rule = function* (context) {
  const made = madeCluster(context);
  if (made === undefined) {
    return;
  }
  const { name, endpoint } = made;
  const path: Path = ["cluster", name, "endpoint", "allowedCidrs"];
  if (endpoint.public && endpoint.allowedCidrs.length === 0) {
    yield {
      path,
      value: endpoint.allowedCidrs,
      allowed: "at least one network of operators, where the Kubernetes API has a public address",
      fix: `${OPERATORS}, or write public: false`,
    };
  } else if (name === "eks" && endpoint.public && endpoint.allowedCidrs.every(isPrivateNetwork)) {
    // Without a list EKS opens a public endpoint to everyone, and lists accept no private networks.
    yield {
      path,
      value: endpoint.allowedCidrs,
      allowed:
        "at least one network of the internet's, where the Kubernetes API has a public address: none of private addresses comes from there",
      fix: `${OPERATORS}, or write public: false: then these reach it through the cluster's network`,
    };
  }
  for (const [index, cidr] of endpoint.allowedCidrs.entries()) {
    if (Number(cidr.split("/")[1]) < SHORTEST_OPERATORS) {
      yield {
        path: [...path, index],
        value: cidr,
        allowed: `networks of operators, with a prefix of /${SHORTEST_OPERATORS} or more: not the internet`,
        fix: OPERATORS,
      };
    } else {
      yield* inCidrForm([...path, index], cidr, "203.0.113.0/24");
    }
  }
};
