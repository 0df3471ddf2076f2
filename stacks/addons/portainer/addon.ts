import { portainerAlerts } from "../../../components/portainer/alerts";
import { portainerConnections } from "../../../components/portainer/connections";
import { PORTAINER_NAMESPACE } from "../../../names/namespaces";
import { addon } from "../addon";
import { portainerSecrets, portainerSection } from "./config";
import * as rules from "./rules";
import { portainerServer } from "./server";

/** Portainer's agent, by which an external server manages the cluster. */
export const portainer = addon({
  key: "portainer",
  section: portainerSection,
  secrets: portainerSecrets,
  settings: (section) => section,
  rules: [
    rules.serverIsOutside,
    rules.nodesAreReached,
    rules.caCertsAreAuthorities,
    rules.secretsAreRead,
    rules.edgeKeyIsOfTheServer,
  ],
  problems: ({ settings, secrets }) => rules.portainerProblems(settings, secrets.portainerEdgeKey !== undefined),
  namespaces: () => [PORTAINER_NAMESPACE],
  connections: ({ settings, cluster }) => portainerConnections(portainerServer(settings), cluster),
  alerts: [portainerAlerts],
  load: () => import("./build"),
});
