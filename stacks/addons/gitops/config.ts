import { z } from "zod";
import { pemCertificates } from "../../config/core/pem";
import { dnsLabel, text, url } from "../../config/core/sections/fields";
import { outsideNetworks, WITHOUT_NETWORKS } from "../../config/core/sections/outside-fields";

/** Parts of a path in a repository: none leads out of it. */
export const FOLDER_PATH = /^(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)*$/;

/** A label of the root Application holds `inference-<name>-root`, in 63 characters. */
export const LONGEST_NAME = 48;

export const gitopsSection = z
  .strictObject({
    engine: z.enum(["argo-cd"]).meta({
      description: "What applies the rendered folder: Argo CD, which `up` installs.",
      example: "argo-cd",
    }),
    acknowledgeClusterAdmin: z.boolean().default(false).meta({
      description:
        "You accept that Argo CD's controller may change every object of the cluster, and that who writes to the repository's branch can become cluster-admin, by values of charts. Without it the plan is refused.",
      example: true,
    }),
    repository: url({ protocol: /^https$/ }).meta({
      description: "Git repository with the folder that `npm run render` writes.",
      allowed: "an https:// URL without a name and a password",
      example: "https://git.example.com/platform/gitops.git",
    }),
    revision: text(250)
      .regex(/^[A-Za-z0-9][A-Za-z0-9._/-]*$/)
      .default("main")
      .meta({
        description: "Branch, tag or commit that Argo CD follows.",
        allowed: "a name of a branch or tag, or a commit",
        example: "main",
      }),
    path: text(512).regex(FOLDER_PATH).meta({
      description: "Path of the rendered folder in the repository.",
      allowed: "a relative path with /, letters, digits, dots, dashes and underscores, without . and ..",
      example: "clusters/edge-nvidia",
    }),
    username: text(128).regex(/^\S+$/).default("git").meta({
      description: "Name that goes with the secret gitopsToken.",
      allowed: "text without spaces",
      example: "argocd",
    }),
    caCerts: pemCertificates.optional().meta({
      description:
        "Certificate of the authority that signed the certificate of the repository's server. Argo CD accepts no other for that server. Default: a public authority.",
      allowed: "certificates in PEM, one below the other",
      example: "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n",
    }),
    name: dnsLabel(LONGEST_NAME).optional().meta({
      description:
        "Name of the platform in Argo CD, in the names of its Applications and AppProjects. Set it to the former name before a stack is renamed: an Application with another name replaces the platform. Default: the environment's name.",
      example: "edge-nvidia",
    }),
    networks: outsideNetworks.meta({
      description: `Networks in CIDR form that the repository's name resolves to: Argo CD reaches these alone, at its port. Default: the address in the URL, or ${WITHOUT_NETWORKS}`,
      example: ["192.168.1.40/32"],
    }),
  })
  .optional()
  .meta({
    description:
      "Argo CD applies what `npm run render` writes, from Git; `up` makes the cluster, namespaces, Secrets, Argo CD and its Application. Default: `up` makes everything.",
    example: {
      engine: "argo-cd",
      acknowledgeClusterAdmin: true,
      repository: "https://git.example.com/platform/gitops.git",
      path: "clusters/edge-nvidia",
    },
  });

export type GitopsConfig = NonNullable<z.output<typeof gitopsSection>>;

export const gitopsSecrets = {
  gitopsToken: z.string().regex(/^\S+$/).optional().meta({
    description: "Token or password that reads gitops.repository. Default: the repository is public.",
    allowed: "text without spaces",
  }),
};

export type GitopsSecret = keyof typeof gitopsSecrets;
