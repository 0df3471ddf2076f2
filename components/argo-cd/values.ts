import { imageEntry } from "../../catalog/images";
import { ARGO_CD_CHARTS_NAMESPACE } from "../../names/namespaces";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";
import { certificateVolume } from "./client-certificate";
import { HEALTH_CHECKS } from "./health";
import { ARGO_CD, ARGO_CD_PODS, CLIENT_CERTIFICATE_FILES } from "./names";
import type { FolderSource } from "./root-application";

const restricted = { ...RESTRICTED_CONTAINER, runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } };

/** Applications with logs and events; the controller provides differences. */
const SERVER_RULES = [
  {
    apiGroups: ["argoproj.io"],
    resources: ["applications"],
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete"],
  },
  // It watches them, though nothing makes any.
  { apiGroups: ["argoproj.io"], resources: ["applicationsets"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["events"], verbs: ["list", "create"] },
  { apiGroups: [""], resources: ["pods", "pods/log"], verbs: ["get"] },
];

export interface ArgoCdValuesArgs {
  readonly stage: Stage;
  readonly source: Pick<FolderSource, "repository" | "caCerts">;
  /** Restarts pods for a new client certificate. @default none */
  readonly podAnnotations?: HelmValues;
}

/**
 * The application controller is one pod: it serves no requests and restarts within a minute. The
 * chart would put a hash of the password into each release. Alerts of Prometheus replace
 * notifications.
 */
export function argoCdValues({ stage, source, podAnnotations = {} }: ArgoCdValuesArgs): HelmValues {
  const { authority, certificate, key } = CLIENT_CERTIFICATE_FILES;
  const replicas = replicasOf(stage);
  const { controller, repoServer, server } = ARGO_CD_PODS;
  const argoCd = imageEntry("argo-cd");
  const valkey = imageEntry("valkey");
  const measured = ({ metricsPort: metrics }: { readonly metricsPort: number }) => ({
    metrics: { enabled: true },
    containerPorts: { metrics },
  });
  return {
    nameOverride: ARGO_CD,
    fullnameOverride: ARGO_CD,
    global: {
      // The chart's release is older than the tested one (catalog/pins.json).
      image: { repository: argoCd.repository, tag: argoCd.tag, imagePullPolicy: "IfNotPresent" },
      priorityClassName: PRIORITY.platform.name,
      podAnnotations,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      // The platform's list of connections makes them.
      networkPolicy: { create: false, defaultDenyIngress: false },
      revisionHistoryLimit: 3,
    },
    // Deleting definitions would delete Applications and what they applied.
    crds: { install: true, keep: true },
    configs: {
      cm: {
        ...HEALTH_CHECKS,
        // Where `kubectl port-forward` has it.
        url: "https://localhost:8080",
        "admin.enabled": true,
        "users.anonymous.enabled": false,
        "exec.enabled": false,
        // The folder is a kustomization; the rest are charts.
        "jsonnet.enable": false,
        "statusbadge.enabled": false,
        // A label would change selectors and pods.
        "application.resourceTrackingMethod": "annotation",
        // The defaults (2 min, and up to 1 more) suit hundreds of Applications; commits and waves
        // wait for it.
        "timeout.reconciliation": "30s",
        "timeout.reconciliation.jitter": "10s",
      },
      params: {
        "server.insecure": false,
        "server.disable.auth": false,
        "controller.diff.server.side": true,
        "application.namespaces": ARGO_CD_CHARTS_NAMESPACE,
      },
      // Without single sign-on only admin; others use kubectl, by `people`.
      rbac: { "policy.default": "", "policy.csv": "" },
      secret: { createSecret: false },
      ...(source.caCerts !== undefined && {
        tls: { certificates: { [new URL(source.repository).hostname]: source.caCerts } },
      }),
    },
    redisSecretInit: { enabled: false },
    redis: {
      image: { repository: valkey.repository, tag: valkey.tag },
      automountServiceAccountToken: false,
      containerSecurityContext: restricted,
      resources: { ...quantities(burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.25 })) },
    },
    controller: {
      replicas: 1,
      ...measured(controller),
      ...certificateVolume(certificate, key),
      containerSecurityContext: restricted,
      resources: { ...quantities(burstable({ cpu: 0.25, memoryGiB: 0.5 }, { cpu: 2, memoryGiB: 2 })) },
    },
    repoServer: {
      replicas,
      ...measured(repoServer),
      // Without the key: it renders untrusted content.
      ...certificateVolume(authority),
      serviceAccount: { create: true, name: repoServer.serviceAccount },
      // Renders untrusted content, and needs no Kubernetes API.
      automountServiceAccountToken: false,
      containerSecurityContext: restricted,
      resources: { ...quantities(burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 1, memoryGiB: 1 })) },
    },
    server: {
      replicas,
      ...measured(server),
      ...certificateVolume(certificate, key),
      containerSecurityContext: restricted,
      // The default has all rights, Secrets included.
      clusterRoleRules: { enabled: true, rules: SERVER_RULES },
      service: { type: "ClusterIP" },
      ingress: { enabled: false },
      resources: { ...quantities(burstable({ cpu: 0.05, memoryGiB: 0.125 }, { cpu: 0.5, memoryGiB: 0.5 })) },
    },
    dex: { enabled: false },
    applicationSet: { replicas: 0 },
    notifications: { enabled: false },
  };
}
