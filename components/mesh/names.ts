/** Pods, ports and addresses of Istio, read from its charts and sources at 1.30.3 (istio/istio, 2026-11-23). */
import { ISTIO_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Name that every identity of the mesh begins with: Istio's own default. */
export const TRUST_DOMAIN = "cluster.local";

/** Pods of Istio's charts. */
export const ISTIO_PODS = {
  /**
   * The control plane, by a label that its Service selects it by, too. Everybody calls it at the Service's address, and the VPC CNI
   * of Amazon lets a policy's pods have the address of those Services alone whose selector has all labels of the policy
   * (aws/amazon-network-policy-controller-k8s@ecc7e6a, pkg/resolvers/endpoints.go, getMatchingServiceClusterIPs; its issue 224).
   */
  istiod: { namespace: ISTIO_NAMESPACE, podLabels: { app: "istiod" } },
  /** What takes the pods of its node in. */
  cni: { namespace: ISTIO_NAMESPACE, podLabels: { "app.kubernetes.io/name": "istio-cni" } },
  /** What encrypts for the pods of its node, in ambient mode. */
  ztunnel: { namespace: ISTIO_NAMESPACE, podLabels: { "app.kubernetes.io/name": "ztunnel" } },
} as const satisfies Readonly<Record<string, PodSelection>>;

export const MESH_PORTS = {
  /** HBONE: the tunnel that carries every port of a pod, at that pod. */
  tunnel: 15008,
  /** Configuration (xDS) and certificates, with TLS. */
  istiod: 15012,
  /** Injection of sidecars, and checks of Istio's objects. */
  webhooks: 15017,
} as const;

/**
 * What probes come from in ambient mode: agents on the nodes give it to whatever a process of the node itself sends to a pod
 * in the mesh, and the mesh lets that pass (cni/pkg/iptables).
 */
export const NODE_SOURCE = { ipv4: "169.254.7.127/32", ipv6: "fd16:9254:7127:1337:ffff:ffff:ffff:ffff/128" } as const;
