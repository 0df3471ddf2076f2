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

/** Annotations of Applications: custom resources have defaults that the API server alone knows, so that it compares. */
export const COMPARED_BY_SERVER = { "argocd.argoproj.io/compare-options": "ServerSideDiff=true" } as const;

/** Deletes what an Application applied when it is deleted, but for objects with `Delete=false`. */
export const CASCADE = "resources-finalizer.argocd.argoproj.io/foreground";

/**
 * Attempts of a sync: Argo CD gives a revision up after five within three minutes, and what calls a server outside may take longer. Each
 * attempt takes the newest revision: otherwise the fix of a broken commit would wait until the attempts for that one are over, half an hour.
 */
export const RETRY = { limit: 10, refresh: true, backoff: { duration: "10s", factor: 2, maxDuration: "5m" } } as const;

/**
 * Spec of the Application that keeps the rendered folder applied. The folder's kustomizations name its objects, so that nothing else in it
 * is read: neither pages nor the file by which `render` knows its own folder.
 */
export function rootApplication(platform: string, source: FolderSource, ignored: readonly IgnoredDifference[]) {
  return {
    project: argoNames(platform).root,
    source: { repoURL: source.repository, targetRevision: source.revision, path: source.path },
    // Of what says none, which is nothing. Without one, no list of namespaces in an AppProject allows the Application.
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
