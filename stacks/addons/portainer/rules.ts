import { PORTAINER_NODE_PORT } from "../../../components/portainer/names";
import { readEdgeKey } from "../../../names/portainer";
import type { CapacityProblem } from "../../../planner/types";
import { networkProblems, tlsServerProblems } from "../../config/core/outside-url";
import { authorityProblems } from "../../config/core/pem";
import { HIDDEN } from "../../config/core/problems";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import { unreadSecrets } from "../../config/core/unread-secrets";
import type { PortainerConfig } from "./config";

type Own = { readonly portainer?: PortainerConfig };

export const serverIsOutside: Rule<Own> = function* ({ sections: { portainer } }) {
  if (portainer?.mode === "edge") {
    const { url, networks } = portainer;
    const why = "who answers in its place has the agent's rights in the cluster, which are all";
    yield* tlsServerProblems(["portainer"], { url, networks }, why);
  } else {
    yield* networkProblems(["portainer"], portainer?.networks ?? [], true);
  }
};

/** Nodes of created clusters are in private networks, whose security rules open no port but the gateway's. */
export const nodesAreReached: Rule<Own> = function* ({ sections: { portainer, cluster } }) {
  if (
    portainer?.mode === "direct" &&
    cluster?.provision === "create" &&
    (cluster.kind === "oci" || cluster.kind === "aws")
  ) {
    yield {
      path: ["portainer", "mode"],
      value: "direct",
      allowed: `edge on a ${cluster.kind === "oci" ? "created OKE" : "created EKS"} cluster: its nodes are private, and its security rules do not open port ${PORTAINER_NODE_PORT}`,
      fix: "write mode: edge, with id and url (docs/portainer.md): the agent connects to the server",
    };
  }
};

export const caCertsAreAuthorities: Rule<Own> = ({ sections: { portainer } }) =>
  authorityProblems(
    ["portainer", "caCerts"],
    portainer?.mode === "edge" ? portainer.caCerts : undefined,
    "give the certificate of the authority, not that of the server, or remove caCerts with one of a public authority",
  );

export const secretsAreRead: Rule<Own> = (context) =>
  unreadSecrets(context, {
    portainerAgentSecret: { path: ["portainer"] },
    portainerEdgeKey: { path: ["portainer", "mode"], value: "edge" },
  });

/** An agent whose key leads elsewhere finds the way closed by NetworkPolicies. The key's text is known at deployment alone. */
export const edgeKeyIsOfTheServer: Rule<Own> = function* ({ sections: { portainer }, declared: { secretTexts } }) {
  const { portainerEdgeKey: text } = secretTexts;
  if (portainer?.mode !== "edge" || text === undefined) {
    return;
  }
  const key = readEdgeKey(text);
  if (key === undefined) {
    yield {
      path: ["portainerEdgeKey"],
      value: HIDDEN,
      allowed: "an edge key as the server shows it, whole: base64 of its URL, its tunnel, a fingerprint and a number",
      fix: `copy it from the environment's page at the server, or take what npm run -s portainer -- <environment> --key prints, and run pulumi config set --secret ${NAMESPACE}:portainerEdgeKey`,
    };
    return;
  }
  const { url, tunnelPort } = portainer;
  if (key.url !== url.replace(/\/$/, "")) {
    yield {
      path: ["portainer", "url"],
      value: url,
      allowed: `${key.url}, where portainerEdgeKey leads: NetworkPolicies let the agent out to this URL's server alone`,
      fix: `write url: ${key.url}, or set the edge key of this server`,
    };
  }
  if (key.tunnelPort !== tunnelPort) {
    yield {
      path: ["portainer", "tunnelPort"],
      value: tunnelPort,
      allowed: `${key.tunnelPort}, the port of the tunnel in portainerEdgeKey: NetworkPolicies let the agent out to this port alone`,
      fix: `write tunnelPort: ${key.tunnelPort}`,
    };
  }
};

/**
 * Prerequisites of the agent. The edge key is no rule of the file, which `npm run portainer` reads
 * to fetch it.
 */
export function portainerProblems(
  { mode, acknowledgeClusterAdmin }: PortainerConfig,
  hasEdgeKey: boolean,
): CapacityProblem[] {
  return [
    ...(acknowledgeClusterAdmin ? [] : [CLUSTER_ADMIN]),
    ...(mode === "direct" || hasEdgeKey ? [] : [NO_EDGE_KEY]),
  ];
}

const CLUSTER_ADMIN: CapacityProblem = {
  severity: "mandatory",
  rule: "portainer-cluster-admin",
  subject: "portainer.acknowledgeClusterAdmin",
  message:
    "Portainer's agent is bound to cluster-admin: it does what users of the Portainer server ask for, whatever it is, and asks Kubernetes for no rights of theirs. Who takes over the server has the cluster, Secrets of all namespaces included. Set acknowledgeClusterAdmin: true to accept that, or remove the section portainer.",
};

const NO_EDGE_KEY: CapacityProblem = {
  severity: "mandatory",
  rule: "portainer-edge-key",
  subject: "portainerEdgeKey",
  message: `With portainer.mode edge, the agent finds its server by an edge key, which is not set. Fetch it with npm run portainer, or copy it from the server's page, and run pulumi config set --secret ${NAMESPACE}:portainerEdgeKey.`,
};
