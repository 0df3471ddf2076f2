import type { Labels } from "../../names/labels";
import { RANCHER_FLEET_NAMESPACE, RANCHER_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/**
 * Names that a Rancher server applies over these objects (rancher/rancher v2.15.0,
 * pkg/systemtemplate/template.go); others would make a second agent.
 */
export const RANCHER = {
  agent: "cattle-cluster-agent",
  container: "cluster-register",
  account: "cattle",
  role: "cattle-admin",
  binding: "cattle-admin-binding",
  credentials: "cattle-credentials",
} as const;

/** Labels of the agent's pods, and its Deployment's selector. */
export const RANCHER_AGENT_LABELS: Labels = { app: RANCHER.agent };

/** The agent deletes other `cattle-credentials-…` Secrets every hour. */
export const RANCHER_REGISTRATION = "rancher-registration";

export const rancherAgentPods: PodSelection = {
  namespace: RANCHER_NAMESPACE,
  podLabels: RANCHER_AGENT_LABELS,
  serviceAccount: RANCHER.account,
};

/** Installed by the agent (rancher/webhook, charts/rancher-webhook). */
export const rancherWebhookPods: PodSelection = {
  namespace: RANCHER_NAMESPACE,
  podLabels: { app: "rancher-webhook" },
};
export const RANCHER_WEBHOOK_PORT = 9443;

/** Agent of Fleet, which the server installs. */
export const fleetAgentPods: PodSelection = {
  namespace: RANCHER_FLEET_NAMESPACE,
  podLabels: { app: "fleet-agent" },
};
