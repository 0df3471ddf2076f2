import { z } from "zod";
import { pemCertificates } from "../../config/core/pem";
import { text, wholeNumber } from "../../config/core/sections/fields";
import { outsideFields } from "../../config/core/sections/outside-fields";
import { taggedUnion } from "../../config/core/sections/tagged-union";

const common = {
  acknowledgeClusterAdmin: z.boolean().default(false).meta({
    description:
      "You accept that users of the Portainer server may read and change every object of the cluster, Secrets included. Without it the plan is refused.",
    example: true,
  }),
};

export const portainerSection = taggedUnion("mode", [
  z
    .strictObject({
      mode: z.literal("direct"),
      ...common,
      networks: z
        .array(text(64).meta({ allowed: "a network in CIDR form" }))
        .min(1)
        .max(20)
        .meta({
          description: "Networks in CIDR form that the Portainer server connects from: no others reach the agent.",
          example: ["192.168.1.30/32"],
        }),
    })
    .meta({ description: "the server connects to port 30778 of the nodes." }),
  z
    .strictObject({
      mode: z.literal("edge"),
      ...common,
      id: text(128).meta({ description: "Edge ID of this cluster at the server.", example: "5f3c1d2e-edge-nvidia" }),
      ...outsideFields({
        description: "Address of the Portainer server, as its edge key has it.",
        example: "https://portainer.example.com:9443",
      }),
      caCerts: pemCertificates.optional().meta({
        description:
          "Certificates of the authorities that may have signed the server's. The agent accepts no others. Default: public authorities.",
        allowed: "certificates in PEM, one below the other",
        example: "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n",
      }),
      tunnelPort: wholeNumber(1, 65_535).default(8000).meta({
        description: "Port of the server's tunnel.",
        unit: "TCP port",
        example: 8000,
      }),
    })
    .meta({
      description: "the agent connects to the server, for nodes behind NAT; the secret portainerEdgeKey is required.",
    }),
])
  .optional()
  .meta({
    description:
      "Portainer's agent, by which a Portainer server elsewhere manages the cluster. Default: not installed.",
    example: { mode: "direct", acknowledgeClusterAdmin: true, networks: ["192.168.1.30/32"] },
  });

export type PortainerConfig = NonNullable<z.output<typeof portainerSection>>;

function key(description: string, least = 1) {
  return z
    .string()
    .regex(new RegExp(`^\\S{${least},}$`))
    .optional()
    .meta({ description, allowed: `text without spaces${least > 1 ? `, of at least ${least} characters` : ""}` });
}

/** Characters: pods have a hash of it, which everyone who sees them may try to guess. */
const SECRET_LENGTH = 20;

export const portainerSecrets = {
  portainerAgentSecret: key(
    "AGENT_SECRET of the Portainer server. Default: a random one, which the server has to be started with.",
    SECRET_LENGTH,
  ),
  portainerEdgeKey: key(
    "Edge key that the Portainer server shows for this cluster; required with mode edge. `npm run portainer` fetches it.",
  ),
};

export type PortainerSecret = keyof typeof portainerSecrets;
