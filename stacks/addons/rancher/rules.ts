import { registrationToken } from "../../../names/rancher";
import type { CapacityProblem } from "../../../planner/types";
import { tlsServerProblems } from "../../config/core/outside-url";
import { authorityProblems } from "../../config/core/pem";
import { HIDDEN } from "../../config/core/problems";
import type { Rule } from "../../config/core/rule";
import { NAMESPACE } from "../../config/core/schema";
import { unreadSecrets } from "../../config/core/unread-secrets";
import type { RancherConfig } from "./config";

type Own = { readonly rancher?: RancherConfig };

/** The agent adds its own paths: an import URL, copied whole, has the registration token in it. */
export const serverIsOutside: Rule<Own> = function* ({ sections: { rancher } }) {
  if (rancher === undefined) {
    return;
  }
  const { url, networks } = rancher;
  const { origin, pathname } = URL.canParse(url) ? new URL(url) : {};
  if (registrationToken(url) !== undefined || pathname?.includes("/import/")) {
    yield {
      path: ["rancher", "url"],
      value: HIDDEN,
      allowed: "the server's address without a path: this is an import URL, with a registration token in it",
      fix: `write url: ${origin}, delete the cluster at the server, as its token is leaked, and set the import URL of a new one: pulumi config set --secret ${NAMESPACE}:rancherToken`,
    };
    return;
  }
  const why = "the agent's tunnel has all rights in the cluster, and is TLS alone";
  const problems = [...tlsServerProblems(["rancher"], { url, networks }, why)];
  yield* problems;
  if (pathname !== "/" && !problems.some(({ path }) => path.at(-1) === "url")) {
    yield {
      path: ["rancher", "url"],
      value: url,
      allowed: "the server's address without a path, as its setting server-url has it",
      fix: `write url: ${origin}`,
    };
  }
};

export const tokenIsRead: Rule<Own> = (context) => unreadSecrets(context, { rancherToken: { path: ["rancher"] } });

/** The token's text is known at deployment alone. */
export const tokenIsOfTheServer: Rule<Own> = function* ({ sections: { rancher }, declared: { secretTexts } }) {
  const { rancherToken: text } = secretTexts;
  if (rancher === undefined || text === undefined) {
    return;
  }
  const set = `run pulumi config set --secret ${NAMESPACE}:rancherToken`;
  const origin = URL.canParse(text) ? new URL(text).origin : undefined;
  if (registrationToken(text) === undefined) {
    yield {
      path: ["rancherToken"],
      value: HIDDEN,
      allowed:
        text.includes(":") && origin === "null"
          ? "the registration token of the cluster: this is an API token of a user"
          : "an import URL that ends with /v3/import/<token>_<cluster>.yaml, or the token in it: lower-case letters and digits",
      fix: `copy the import URL from the cluster's page at the server, or take what npm run -s rancher -- <environment> --token prints, and ${set}`,
    };
  } else if (origin !== undefined && URL.canParse(rancher.url) && origin !== new URL(rancher.url).origin) {
    yield {
      path: ["rancher", "url"],
      value: rancher.url,
      allowed: `${origin}, whose import URL rancherToken is`,
      fix: `write url: ${origin} with its networks, or ${set} with an import URL of this server`,
    };
  }
};

export const caCertsAreAuthorities: Rule<Own> = ({ sections: { rancher } }) =>
  authorityProblems(
    ["rancher", "caCerts"],
    rancher?.caCerts,
    "write what the server shows at /cacerts, or remove caCerts with a certificate of a public authority",
  );

/** What the agent is not installed without. The token is none of the file's rules: `npm run rancher` reads the file to fetch it. */
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
