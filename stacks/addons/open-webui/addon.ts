import { openWebUiAlerts } from "../../../components/open-webui/alerts";
import { openWebUiConnections } from "../../../components/open-webui/connections";
import { openWebUiService } from "../../../components/open-webui/gateway-service";
import { OPEN_WEBUI } from "../../../components/open-webui/names";
import { OPEN_WEBUI_NAMESPACE } from "../../../names/namespaces";
import { storeElsewhere } from "../../config/core/store-backend";
import { addon } from "../addon";
import { copiesAdvice, pageAdvice } from "./advice";
import { openWebUiSecrets, openWebUiSection } from "./config";
import * as rules from "./rules";

/** Open WebUI: chat with models, behind a sign-in. */
export const openWebUi = addon({
  key: "openWebUi",
  componentName: "open-webui",
  section: openWebUiSection,
  secrets: openWebUiSecrets,
  settings: (section) => section,
  rules: [
    rules.openWebUiHasItsOwnHostname,
    rules.openWebUiConsumerChats,
    rules.openWebUiSignsInByTheIssuer,
    rules.openWebUiKnowsTheAuthority,
    rules.openWebUiReachesTheIssuer,
    rules.openWebUiSecretIsRead,
    rules.openWebUiBackupsHaveAPlace,
  ],
  volumes: ({ settings: { storageGiB } }) => ({
    volumes: [{ name: "chat page", sizeGiB: storageGiB, count: 1 }],
  }),
  advice: ({ settings, environment }) => [
    ...pageAdvice(settings, environment.gateway),
    ...copiesAdvice(environment.storage),
  ],
  services: ({ settings: { hostname } }) => [openWebUiService(hostname)],
  namespaces: () => [OPEN_WEBUI_NAMESPACE],
  keepers: () => [OPEN_WEBUI],
  connections: ({ settings: { signIn }, environment: { gateway, storage }, cluster }) => {
    const { oidc } = gateway.auth ?? {};
    const issuer = signIn && oidc && { url: oidc.issuer, ...(oidc.networks && { networks: oidc.networks }) };
    return openWebUiConnections({ ...(issuer && { issuer }), networks: cluster, storeBucket: storeElsewhere(storage) });
  },
  alerts: [openWebUiAlerts],
  load: () => import("./build"),
});
