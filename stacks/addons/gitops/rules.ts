import type { CapacityProblem } from "../../../planner/types";
import { outsideProblems } from "../../config/core/outside-url";
import { authorityProblems } from "../../config/core/pem";
import type { ProblemDraft } from "../../config/core/problems";
import type { Rule } from "../../config/core/rule";
import { unreadSecrets } from "../../config/core/unread-secrets";
import { type GitopsConfig, LONGEST_NAME } from "./config";

type Own = { readonly gitops?: GitopsConfig };

/** Argo CD fetches from any server named. */
export const repositoryIsAServerOfOthers: Rule<Own> = function* ({ sections: { gitops, stage } }) {
  if (gitops !== undefined) {
    const { repository: url, networks } = gitops;
    for (const problem of outsideProblems(["gitops"], { url, networks }, stage)) {
      const isUrl = problem.path.at(-1) === "url";
      yield isUrl ? { ...problem, path: ["gitops", "repository"], ...nameFix(url) } : problem;
    }
  }
};

/** A name alone before the host, which is shown only where the path says that it is no token: `https://org@dev.azure.com/org/…`. */
function nameFix(url: string): Partial<Pick<ProblemDraft, "fix">> {
  const { username, password, host, pathname } = URL.canParse(url) ? new URL(url) : { username: "" };
  if (username === "" || password !== "") {
    return {};
  }
  const isPublic = pathname?.split("/")[1] === username;
  return {
    fix: isPublic
      ? `write repository: https://${host}${pathname}, and username: ${username}`
      : "take the name out and write it as username, or set it as the secret gitopsToken and treat it as leaked if it is a token",
  };
}

/** Argo CD keeps authorities by the server's name, up to a colon. */
export const caCertsAreUsable: Rule<Own> = function* ({ sections: { gitops } }) {
  yield* authorityProblems(
    ["gitops", "caCerts"],
    gitops?.caCerts,
    "write the authority's certificate, not the server's, or remove caCerts with a certificate of a public authority",
  );
  if (gitops?.caCerts !== undefined && gitops.repository.startsWith("https://[")) {
    yield {
      path: ["gitops", "repository"],
      value: gitops.repository,
      allowed: "with caCerts: a URL with a name or an IPv4 address",
      fix: "write the server's name",
    };
  }
};

/** Copied from a browser: a server without a repository, or a page of one. */
export const repositoryIsNoPage: Rule<Own> = function* ({ sections: { gitops } }) {
  const path = gitops && URL.canParse(gitops.repository) ? new URL(gitops.repository).pathname : undefined;
  const [page, repository, revision, folder] =
    /^(.+?)\/(?:-\/)?(?:tree|blob|src\/branch)\/([^/]+)\/?(.*)$/.exec(path ?? "") ?? [];
  if (gitops !== undefined && path === "/") {
    yield {
      path: ["gitops", "repository"],
      value: gitops.repository,
      allowed: "the URL by which git clones the repository, with its path",
      fix: "add the repository's path",
    };
  } else if (gitops !== undefined && page !== undefined) {
    yield {
      path: ["gitops", "repository"],
      value: gitops.repository,
      allowed: "the URL by which git clones the repository, not that of a page",
      fix: `write repository: ${new URL(gitops.repository).origin}${repository}, revision: ${revision}${folder ? `, path: ${folder}` : ""}`,
    };
  }
};

export const tokenIsRead: Rule<Own> = (context) => unreadSecrets(context, { gitopsToken: { path: ["gitops"] } });

/** With `scope: cluster` there is no platform to hand over, and a bundle holds charts as files alone. */
export const gitopsHasSomethingToApply: Rule<Own> = function* ({ sections: { gitops, scope, cluster } }) {
  if (gitops !== undefined && scope === "cluster") {
    yield {
      path: ["gitops"],
      value: gitops.path,
      allowed: "with scope: platform or all",
      fix: "move the section to the environment of the platform",
    };
  }
  if (gitops !== undefined && cluster?.kind === "edge" && cluster.k3s?.bundle !== undefined) {
    yield {
      path: ["gitops"],
      value: gitops.path,
      allowed: "without cluster.k3s.bundle: Argo CD takes charts from repositories, and a bundle is a folder",
      fix: "remove the section, or the bundle",
    };
  }
};

/** Consent required to install it. */
export function gitopsProblems(settings: GitopsConfig, environment: string): CapacityProblem[] {
  return [...clusterAdmin(settings), ...longName(settings, environment)];
}

function clusterAdmin({ acknowledgeClusterAdmin }: GitopsConfig): CapacityProblem[] {
  return acknowledgeClusterAdmin
    ? []
    : [
        {
          severity: "mandatory",
          rule: "gitops-cluster-admin",
          subject: "gitops.acknowledgeClusterAdmin",
          message:
            "Argo CD's controller has every right in the cluster, as it applies charts with roles of their own. Its AppProjects stop mistakes, not attackers: values of charts in the folder may add any object, also a ClusterRoleBinding, so who writes to the branch can become cluster-admin. Write true once the repository's branch is protected and reviewed.",
        },
      ];
}

function longName({ name }: GitopsConfig, environment: string): CapacityProblem[] {
  return name !== undefined || environment.length <= LONGEST_NAME
    ? []
    : [
        {
          severity: "mandatory",
          rule: "gitops-name",
          subject: "gitops.name",
          message: `The environment's name has ${environment.length} characters, and names of Applications hold at most ${LONGEST_NAME} of it. Write a shorter name as gitops.name.`,
        },
      ];
}
