import { CERT_MANAGER_NAMESPACE } from "../../names/namespaces";
import { type Connection, connect, type PodSelection, podsIn } from "../core/connections";
import { anyAddress, type ClusterNetworks, fromKubernetesApi, internet, toKubernetesApi } from "../core/network";
import { type AcmeServer, certManagerPods } from "./cert-manager";

/** An ACME server, and pods that answer its challenges. */
export interface AcmeConnections extends AcmeServer {
  readonly answers: PodSelection & { readonly port: number };
}

/** Connections of the platform's cert-manager; webhook and injector need no egress. */
export function certManagerConnections(networks: ClusterNetworks, acme: AcmeConnections | undefined): Connection[] {
  const webhook = { namespace: CERT_MANAGER_NAMESPACE, podLabels: { "app.kubernetes.io/name": "webhook" } };
  return [
    toKubernetesApi("cert-manager", podsIn(CERT_MANAGER_NAMESPACE), networks),
    fromKubernetesApi("cert-manager", webhook, [10250]),
    ...(acme ? acmeConnections(networks, acme) : []),
  ];
}

function acmeConnections(networks: ClusterNetworks, { server, answers }: AcmeConnections): Connection[] {
  return [
    connect({
      name: "cert-manager-to-acme-server",
      reason: "cert-manager orders certificates from the ACME server",
      from: certManagerPods,
      // A self-managed server may be in a private network.
      to: server === undefined ? internet(networks) : anyAddress(),
      ports: [server === undefined ? 443 : portOf(server)],
    }),
    // cert-manager first fetches the challenge by the public name, which may be a private address;
    // the node may shortcut it to the proxies' port.
    connect({
      name: "cert-manager-to-challenge",
      reason: "cert-manager fetches a challenge itself, by its public name, before it notifies the ACME server",
      from: certManagerPods,
      to: anyAddress(),
      ports: [80],
    }),
    connect({
      name: "cert-manager-to-gateway",
      reason: "cert-manager fetches a challenge itself, where the node shortens the path to the proxies' own port",
      from: certManagerPods,
      to: answers,
      ports: [answers.port],
    }),
  ];
}

function portOf(url: string): number {
  return Number(new URL(url).port || 443);
}
