/** Mutual TLS everywhere, by a service mesh. */
import { z } from "zod";
import { hostname, wholeNumber } from "./fields";

export const MESH_MODES = ["off", "ambient", "sidecar"] as const;
export type MeshMode = Exclude<(typeof MESH_MODES)[number], "off">;

/** Clusters with other network plugin paths, by Istio's names. */
export const MESH_PLATFORMS = ["standard", "k3s", "k3d", "microk8s", "minikube"] as const;

export const meshSection = z
  .strictObject({
    mode: z.enum(MESH_MODES).default("off").meta({
      description:
        "Istio. ambient: an agent on each node encrypts what pods say to each other; sidecar: a proxy in every pod does, which takes CPU and memory of it.",
      example: "ambient",
    }),
    platform: z.enum(MESH_PLATFORMS).optional().meta({
      description:
        "Where the cluster's network plugins lie on its nodes: standard = /etc/cni/net.d and /opt/cni/bin. Default: k3s with kind: edge, else standard.",
      example: "k3s",
    }),
    egressHosts: z
      .array(hostname)
      .default([])
      .meta({
        description:
          "With mode: sidecar, where all other names are closed to pods: servers outside of the cluster that they call by TLS at port 443, besides those that the platform knows of.",
        examples: [["api.example.com"]],
      }),
    requestsPerSecond: wholeNumber(1, 1_000_000).optional().meta({
      description:
        "What one proxy of the mesh lets through to a model's server; the rest answers 429. Default: 10000 where proxies see requests, with sidecars or with gateway.auth.oidc; in ambient mode, to write it is to have them.",
      unit: "requests per second",
      example: 10_000,
    }),
  })
  .prefault({})
  .meta({
    description: "Service mesh: mutual TLS between all pods of the platform (docs/mesh.md).",
    example: { mode: "ambient" },
  });

export type MeshConfig = z.output<typeof meshSection>;
