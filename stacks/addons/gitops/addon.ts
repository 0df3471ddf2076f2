import { argoCdAlerts } from "../../../components/argo-cd/alerts";
import { argoCdConnections } from "../../../components/argo-cd/connections";
import { argoCdTargets } from "../../../components/argo-cd/targets";
import { ARGO_CD_CHARTS_NAMESPACE, ARGO_CD_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { gitopsSecrets, gitopsSection } from "./config";
import * as rules from "./rules";

/** Argo CD applies the rendered folder; `up` creates everything else. */
export const gitops = addon({
  key: "gitops",
  section: gitopsSection,
  secrets: gitopsSecrets,
  settings: (section) => section,
  rules: [
    rules.repositoryIsAServerOfOthers,
    rules.repositoryIsNoPage,
    rules.caCertsAreUsable,
    rules.gitopsHasSomethingToApply,
    rules.tokenIsRead,
  ],
  problems: ({ settings, plan }) => rules.gitopsProblems(settings, plan.environment),
  namespaces: () => [ARGO_CD_NAMESPACE, ARGO_CD_CHARTS_NAMESPACE],
  targets: () => argoCdTargets,
  connections: ({ settings: { repository: url, networks }, cluster }) =>
    argoCdConnections({ url, ...(networks && { networks }) }, cluster),
  alerts: [argoCdAlerts],
  load: () => import("./build"),
});
