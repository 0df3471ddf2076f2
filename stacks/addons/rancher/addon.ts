import { rancherAlerts } from "../../../components/rancher/alerts";
import { rancherConnections } from "../../../components/rancher/connections";
import { RANCHER_FLEET_NAMESPACE, RANCHER_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { rancherSecrets, rancherSection } from "./config";
import * as rules from "./rules";

/** Rancher's agent, by which an external server manages the cluster. */
export const rancher = addon({
  key: "rancher",
  section: rancherSection,
  secrets: rancherSecrets,
  settings: (section) => section,
  rules: [rules.serverIsOutside, rules.caCertsAreAuthorities, rules.tokenIsRead, rules.tokenIsOfTheServer],
  problems: ({ settings, secrets }) => rules.rancherProblems(settings, secrets.rancherToken !== undefined),
  namespaces: () => [RANCHER_NAMESPACE, RANCHER_FLEET_NAMESPACE],
  connections: ({ settings: { url, networks }, cluster }) =>
    rancherConnections({ url, ...(networks && { networks }) }, cluster),
  alerts: [rancherAlerts],
  load: () => import("./build"),
});
