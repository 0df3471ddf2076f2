import type { CapacityProblem } from "../../../planner/types";
import { tlsServerProblems } from "../../config/core/outside-url";
import { areAuthorities } from "../../config/core/pem";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import type { RancherConfig } from "./config";

type Own = { readonly rancher?: RancherConfig };

export const serverIsOutside: Rule<Own> = function* ({ sections: { rancher, stage } }) {
  if (rancher !== undefined) {
    const { url, networks } = rancher;
    const why = "the agent's tunnel has all rights in the cluster, and is TLS alone";
    yield* tlsServerProblems(["rancher"], { url, networks }, stage, why);
  }
};

export const caCertsAreAuthorities: Rule<Own> = function* ({ sections: { rancher } }) {
  if (rancher?.caCerts !== undefined && !areAuthorities(rancher.caCerts)) {
    yield {
      path: ["rancher", "caCerts"],
      value: "text that is no certificate of an authority",
      allowed: "certificates of authorities (CA:TRUE), in PEM",
      fix: "write what the server shows at /cacerts, or remove caCerts with a certificate of a public authority",
    };
  }
};

/**
 * Prerequisites of the agent. The token is no rule of the file, which `npm run rancher` reads to
 * fetch it.
 */
export function rancherProblems({ acknowledgeClusterAdmin }: RancherConfig, hasToken: boolean): CapacityProblem[] {
  return [...(acknowledgeClusterAdmin ? [] : [CLUSTER_ADMIN]), ...(hasToken ? [] : [NO_TOKEN])];
}

const CLUSTER_ADMIN: CapacityProblem = {
  severity: "mandatory",
  rule: "rancher-cluster-admin",
  subject: "rancher.acknowledgeClusterAdmin",
  message:
    "Rancher's agent has every right in the cluster: the Rancher server reads and changes all objects through it, installs charts, and opens shells for its users. Who takes over the server has the cluster, Secrets of all namespaces included. Set acknowledgeClusterAdmin: true to accept that, or remove the section rancher.",
};

const NO_TOKEN: CapacityProblem = {
  severity: "mandatory",
  rule: "rancher-token",
  subject: "rancherToken",
  message: `Rancher's agent registers the cluster with a token, which is not set. Fetch it with npm run rancher, or copy it from the import URL that the server shows, and run pulumi config set --secret ${NAMESPACE}:rancherToken.`,
};
