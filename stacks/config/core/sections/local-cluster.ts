/** `cluster.local`: a cluster in containers of one computer. */
import { z } from "zod";
import { CONTAINER_ENGINES, LOCAL_CLUSTER_TOOLS } from "../../../../catalog/local-clusters";

export const localClusterSection = z
  .strictObject({
    tool: z.enum(LOCAL_CLUSTER_TOOLS).meta({
      description:
        "What makes the cluster: k3d = k3s in a container, kind = Kubernetes in a container. It must be installed where pulumi up runs. Another one makes another cluster, and removes this one with all that is in it.",
      example: "k3d",
    }),
    engine: z.enum(CONTAINER_ENGINES).default("docker").meta({
      description: "What runs the containers, and is running. k3d works with docker.",
      example: "docker",
    }),
  })
  .meta({
    description:
      "The cluster of one node that this stack makes on the computer it is deployed from, with provision: create.",
    example: { tool: "k3d" },
  });
