import { z } from "zod";
import { pemCertificates } from "../../config/core/pem";
import { dnsLabel } from "../../config/core/sections/fields";
import { outsideFields } from "../../config/core/sections/outside-fields";

export const rancherSection = z
  .strictObject({
    acknowledgeClusterAdmin: z.boolean().default(false).meta({
      description:
        "You accept that users of the Rancher server may read and change every object of the cluster, Secrets included, as far as the server allows. Without it the plan is refused.",
      example: true,
    }),
    ...outsideFields({
      description: "URL of the Rancher server, as its setting server-url has it.",
      allowed: "an https:// URL",
      example: "https://rancher.example.com",
    }),
    caCerts: pemCertificates.optional().meta({
      description:
        "Certificate of the authority that signed the server's, as the server shows it at /cacerts. The agent accepts no other. Default: a public authority.",
      allowed: "certificates in PEM, one below the other",
      example: "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n",
    }),
    cluster: dnsLabel(63).optional().meta({
      description:
        "Name of the cluster at the server, by which `npm run rancher` finds or creates it. Default: the environment's name.",
      example: "edge-nvidia",
    }),
  })
  .optional()
  .meta({
    description: "Rancher's agent, by which a Rancher server elsewhere manages the cluster. Default: not installed.",
    example: { acknowledgeClusterAdmin: true, url: "https://rancher.example.com", networks: ["203.0.113.7/32"] },
  });

export type RancherConfig = NonNullable<z.output<typeof rancherSection>>;

export const rancherSecrets = {
  rancherToken: z.string().regex(/^\S+$/).optional().meta({
    description:
      "Registration token of the cluster, or the import URL that the Rancher server shows for it (https://…/v3/import/….yaml). `npm run rancher` fetches it.",
    allowed: "text without spaces",
  }),
};

export type RancherSecret = keyof typeof rancherSecrets;
