import { type Connection, connect } from "../core/connections";
import { type ClusterNetworks, internet, toKubernetesApi } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import { ARGO_CD_PODS } from "./names";

const { controller, repoServer, server, redis } = ARGO_CD_PODS;

/** The page is reachable by `kubectl port-forward` only. */
export function argoCdConnections(repository: OutsideAddress, networks: ClusterNetworks): Connection[] {
  return [
    toKubernetesApi("argocd", [controller, server], networks),
    connect({
      name: "argocd-to-redis",
      reason: "Its parts keep what was rendered and compared in a cache, with a password",
      from: [controller, repoServer, server],
      to: redis,
      ports: [redis.port],
    }),
    connect({
      name: "argocd-to-repo-server",
      reason: "They ask for the objects that the repository and charts hold",
      from: [controller, server],
      to: repoServer,
      ports: [repoServer.port],
    }),
    connect({
      name: "argocd-repo-server-to-repository",
      reason: "It fetches the repository with the rendered folder",
      from: repoServer,
      to: outsideEnds(repository, networks),
      ports: [serverAt(repository).port],
    }),
    connect({
      name: "argocd-repo-server-to-charts",
      reason: "It fetches Helm charts from their repositories, which policies know no addresses of",
      from: repoServer,
      to: internet(networks),
      ports: [443],
    }),
  ];
}
