/** Pods, ports and addresses of Istio's charts and sources at 1.30.3 (istio/istio, 2026-11-23). */
import { ISTIO_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Prefix of every mesh identity: Istio's default. */
export const TRUST_DOMAIN = "cluster.local";

export const ISTIO_PODS = {
  /**
   * Control plane, by a label of its Service's selector. Amazon's VPC CNI resolves a policy to a
   * Service address only if the selector has all policy labels
   * (aws/amazon-network-policy-controller-k8s@ecc7e6a, pkg/resolvers/endpoints.go,
   * getMatchingServiceClusterIPs; its issue 224).
   */
  istiod: { namespace: ISTIO_NAMESPACE, podLabels: { app: "istiod" } },
  /** Adds the node's pods to the mesh. */
  cni: { namespace: ISTIO_NAMESPACE, podLabels: { "app.kubernetes.io/name": "istio-cni" } },
  /** Encrypts for the node's pods in ambient mode. */
  ztunnel: { namespace: ISTIO_NAMESPACE, podLabels: { "app.kubernetes.io/name": "ztunnel" } },
} as const satisfies Readonly<Record<string, PodSelection>>;

export const MESH_PORTS = {
  /** HBONE: the tunnel for all ports of a pod. */
  tunnel: 15008,
  /** Configuration (xDS) and certificates over TLS. */
  istiod: 15012,
  /** Sidecar injection and validation of Istio objects. */
  webhooks: 15017,
} as const;

/**
 * Source address of probes in ambient mode: agents rewrite traffic from node processes to it, and
 * the mesh allows it (cni/pkg/iptables).
 */
export const NODE_SOURCE = { ipv4: "169.254.7.127/32", ipv6: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff/128" } as const;
