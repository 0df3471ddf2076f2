import { ARGO_CD_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Release name and prefix. */
export const ARGO_CD = "argocd";

export const ARGO_API = "argoproj.io/v1alpha1";

/** The cluster that Argo CD runs in. */
export const IN_CLUSTER = "https://kubernetes.default.svc";

/** Names and keys by argo-cd 3.6.1 (util/settings and common/common.go). */
export const ARGO_CD_SECRETS = {
  /** `admin.password`: a bcrypt hash; `server.secretkey`: signs sessions. */
  settings: "argocd-secret",
  /** `password` of the account admin, where Argo CD's own command looks for it. */
  admin: "argocd-initial-admin-secret",
  /** `auth`. */
  redis: "argocd-redis",
  /** Files of {@link CLIENT_CERTIFICATE_FILES}. */
  clients: "argocd-repo-server-mtls",
  /** Credentials of the repository, known by their label. */
  repository: "argocd-repository",
} as const;

export const CLIENT_CERTIFICATE_FILES = {
  authority: "client-ca.crt",
  certificate: "client.crt",
  key: "client.key",
} as const;

/** Pods of one part, by a label of the chart. */
export interface ArgoCdPods extends PodSelection {
  readonly serviceAccount: string;
}

/** Pods and ports by argo-helm, argo-cd 10.1.1, values.yaml. */
export const ARGO_CD_PODS = {
  /** Compares and applies. */
  controller: { ...part("argocd-application-controller"), metricsPort: 8082 },
  /** It fetches the repository and charts, and renders them. */
  repoServer: { ...part("argocd-repo-server"), port: 8081, metricsPort: 8084 },
  /** Its page and API. */
  server: { ...part("argocd-server"), port: 8080, metricsPort: 8083 },
  /** A cache. */
  redis: { ...part("argocd-redis"), serviceAccount: "default", port: 6379 },
} as const;

function part(name: string): ArgoCdPods {
  return {
    namespace: ARGO_CD_NAMESPACE,
    podLabels: { "app.kubernetes.io/name": name, "app.kubernetes.io/instance": ARGO_CD },
    serviceAccount: name,
  };
}

/** Name that Kubernetes accepts, made from names that may hold more. */
export function argoName(...parts: readonly string[]): string {
  return parts
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** Names of a platform's objects in Argo CD. */
export function argoNames(platform: string) {
  return {
    /** AppProject of its charts. */
    charts: argoName("inference", platform),
    /** Application of its rendered folder, and that one's AppProject. */
    root: argoName("inference", platform, "root"),
  } as const;
}
