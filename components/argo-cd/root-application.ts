import { ARGO_CD_CHARTS_NAMESPACE } from "../../names/namespaces";
import type { IgnoredDifference } from "./ignored-differences";
import { argoNames, IN_CLUSTER } from "./names";

/** Where Argo CD finds the rendered folder. */
export interface FolderSource {
  /** URL of the Git repository. */
  readonly repository: string;
  /** Branch, tag or commit. */
  readonly revision: string;
  /** Path of the folder in the repository. */
  readonly path: string;
  /** Authorities of the server's certificate, in PEM. @default public ones */
  readonly caCerts?: string;
}

/** The API server compares, as it alone knows defaults of custom resources. */
export const COMPARED_BY_SERVER = { "argocd.argoproj.io/compare-options": "ServerSideDiff=true" } as const;

/** Deletes applied objects with the Application, except with `Delete=false`. */
export const CASCADE = "resources-finalizer.argocd.argoproj.io/foreground";

/**
 * Argo CD's default of five attempts ends within three minutes. Each attempt takes the newest
 * revision, so a fix need not wait.
 */
export const RETRY = { limit: 10, refresh: true, backoff: { duration: "10s", factor: 2, maxDuration: "5m" } } as const;

/** The folder's kustomizations name its objects, so nothing else in it is read. */
export function rootApplication(platform: string, source: FolderSource, ignored: readonly IgnoredDifference[]) {
  return {
    project: argoNames(platform).root,
    source: { repoURL: source.repository, targetRevision: source.revision, path: source.path },
    // For Applications without a destination: an AppProject's namespaces would not allow them.
    destination: { server: IN_CLUSTER, namespace: ARGO_CD_CHARTS_NAMESPACE },
    syncPolicy: {
      automated: { prune: true, selfHeal: true },
      // Unchanged Jobs must not run again; namespaces are Pulumi's.
      syncOptions: [
        "ApplyOutOfSyncOnly=true",
        "CreateNamespace=false",
        "RespectIgnoreDifferences=true",
        "ServerSideApply=true",
      ],
      retry: RETRY,
    },
    ...(ignored.length > 0 && { ignoreDifferences: ignored.map((each) => ({ ...each })) }),
  };
}
