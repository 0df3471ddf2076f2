import { selectorLabels } from "../../names/labels";
import { OPEN_WEBUI_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Name of the chat page's Service, StatefulSet, listener, and folder in the model store. */
export const OPEN_WEBUI = "open-webui";

/** Name of its CronJobs' pods. */
export const OPEN_WEBUI_BACKUP = "open-webui-backup";

export const OPEN_WEBUI_PORT = 8080;

export const openWebUiPods: PodSelection = {
  namespace: OPEN_WEBUI_NAMESPACE,
  podLabels: selectorLabels(OPEN_WEBUI, OPEN_WEBUI),
  serviceAccount: OPEN_WEBUI,
};

export const openWebUiBackupPods: PodSelection = {
  namespace: OPEN_WEBUI_NAMESPACE,
  podLabels: selectorLabels(OPEN_WEBUI_BACKUP, OPEN_WEBUI_BACKUP),
};

/** Secret keys, named as variables. */
export const SECRET_VARIABLES = {
  adminPassword: "WEBUI_ADMIN_PASSWORD",
  sessionKey: "WEBUI_SECRET_KEY",
  consumerKey: "OPENAI_API_KEYS",
  clientSecret: "OAUTH_CLIENT_SECRET",
} as const;

/** Where the data is: in the page's container, and in those that copy it. */
export const DATA_FOLDER = "/data";
