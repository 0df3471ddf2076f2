import { z } from "zod";

/** Kubernetes API of a provisioned cluster. */
export const endpointSection = z
  .strictObject({
    public: z.boolean().default(false).meta({
      description:
        "Whether the Kubernetes API has a public address. Without one it is reached from inside the network.",
      example: true,
    }),
    allowedCidrs: z
      .array(
        z.cidrv4().meta({
          allowed: 'an IPv4 network in CIDR form, such as "203.0.113.0/24", or "203.0.113.7/32" for one address',
          example: "203.0.113.0/24",
        }),
      )
      .default([])
      .meta({
        description:
          "Networks of the operators, which may reach the Kubernetes API from outside of the cluster's network.",
        examples: [["203.0.113.0/24"]],
      }),
  })
  .prefault({})
  .meta({ description: "The Kubernetes API.", example: { public: true, allowedCidrs: ["203.0.113.0/24"] } });
