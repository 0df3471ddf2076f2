import { z } from "zod";
import { dnsLabel, hostname, text, wholeNumber } from "../../config/core/sections/fields";

export const openWebUiSection = z
  .strictObject({
    hostname: hostname.meta({
      description: "Public name of the page: a listener of its own at the gateway. Another one than the gateway's.",
      example: "chat.example.com",
    }),
    consumer: dnsLabel(40).default("open-webui").meta({
      description:
        "Consumer under gateway.consumers whose key the page has: its models and limits are those of all people together.",
      example: "open-webui",
    }),
    adminEmail: z.email().max(254).meta({
      description:
        "E-mail address that the first administrator signs in with. The password is random; an output of the stack has the command that prints it.",
      allowed: "an e-mail address",
      example: "platform@example.com",
    }),
    storageGiB: wholeNumber(1, 64).default(10).meta({
      description:
        "Volume of users, chats and uploaded files. The nightly copy takes up to twice of it on the node's disk.",
      unit: "GiB",
      example: 20,
    }),
    signIn: z
      .strictObject({
        clientId: text(256).meta({
          description: "Client ID of the page at the issuer of gateway.auth.oidc.",
          example: "open-webui",
        }),
        newUsers: z.enum(["pending", "user"]).default("pending").meta({
          description:
            "People who sign in for the first time. pending: an administrator lets them in. user: they chat at once.",
          example: "user",
        }),
      })
      .optional()
      .meta({
        description:
          "Sign-in by the issuer of gateway.auth.oidc, besides passwords. The client's secret is openWebUiClientSecret. Default: accounts that an administrator makes.",
        example: { clientId: "open-webui" },
      }),
    gatewayAuthorities: z
      .string()
      .max(65_536)
      .regex(/^(\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/)
      .optional()
      .meta({
        description:
          "Certificates of the authorities that signed the gateway's: the page calls models by the gateway, and checks it. Default: those that browsers trust.",
        allowed: "certificates in PEM, one below the other",
        example: "-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n",
      }),
  })
  .optional()
  .meta({
    description: "Open WebUI, a page on which people chat with the models. Default: not installed.",
    example: { hostname: "chat.example.com", adminEmail: "platform@example.com" },
  });

export type OpenWebUiConfig = NonNullable<z.output<typeof openWebUiSection>>;

export const openWebUiSecrets = {
  openWebUiClientSecret: z.string().regex(/^\S+$/).optional().meta({
    description: "Secret of openWebUi.signIn.clientId at the issuer. Default: a public client, with PKCE alone.",
    allowed: "text without spaces",
  }),
};

export type OpenWebUiSecret = keyof typeof openWebUiSecrets;
