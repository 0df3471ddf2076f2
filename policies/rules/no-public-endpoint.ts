import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { cloudExposures } from "../lib/cloud-exposure";
import { clusterExposures } from "../lib/cluster-exposure";
import { cloudOf } from "../lib/plan";
import { stackPolicy } from "../lib/policy";
import { namespaceOf } from "../lib/resource";

interface Config {
  readonly gatewayNamespaces: readonly string[];
}

export const noPublicEndpoint = stackPolicy<Config>(
  {
    name: "no-public-endpoint",
    description:
      "Only the gateway faces the internet: no public bucket, no Kubernetes API or port open to the world, no other load balancer, node port, ingress or gateway.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["network", "isolation"],
    configSchema: {
      properties: {
        gatewayNamespaces: {
          type: "array",
          items: { type: "string" },
          default: [GATEWAY_NAMESPACE],
          description: "Namespaces whose Services, Gateways and proxies may face the internet.",
        },
      },
    },
    remediationSteps:
      "Reach it through the gateway or from inside the private network; list the networks of operators where an API must be reachable.",
  },
  (resources, report, { gatewayNamespaces }) => {
    const cloud = cloudOf(resources);
    for (const resource of resources) {
      // An unknown namespace may be one of the gateway's.
      const isGateway = () =>
        !namespaceOf(resource).is((namespace) => !gatewayNamespaces.includes(String(namespace ?? "default")));
      const exposures = [...cloudExposures(resource, resources), ...clusterExposures(resource, isGateway, cloud)];
      for (const exposure of exposures) {
        report({ resource, ...exposure });
      }
    }
  },
);
