import { z } from "zod";
import { dnsLabel, hostname, text, wholeNumber } from "./fields";
import { taggedUnion } from "./tagged-union";

const tlsSchema = taggedUnion("kind", [
  z
    .strictObject({ kind: z.literal("self-signed") })
    .meta({ description: "made by the platform, for development only." }),
  z
    .strictObject({
      kind: z.literal("acme"),
      email: z.email().meta({
        description: "Account address; the authority writes there before a certificate expires.",
        allowed: "an e-mail address",
        example: "platform@example.com",
      }),
      server: z
        .url({ protocol: /^https$/ })
        .optional()
        .meta({
          description: "ACME directory. Default: Let's Encrypt production.",
          allowed: "an https:// URL",
          example: "https://acme-v02.api.letsencrypt.org/directory",
        }),
    })
    .meta({ description: "signed by an authority that speaks ACME, renewed by cert-manager." }),
  z
    .strictObject({
      kind: z.literal("secret"),
      secretName: dnsLabel(253).meta({
        description: "Existing Secret of type kubernetes.io/tls in the gateway's namespace.",
        allowed: "name of a Secret",
        example: "gateway-tls",
      }),
    })
    .meta({ description: "one that you have." }),
]).meta({
  description: "Certificate of the gateway.",
  example: { kind: "acme", email: "platform@example.com" },
});

export const gatewaySection = z
  .strictObject({
    hostname: hostname.meta({
      description: "Public name of the gateway: clients call https://<hostname>/v1.",
      example: "inference.example.com",
    }),
    exposure: z
      .enum(["LoadBalancer", "ClusterIP", "NodePort"])
      .default("LoadBalancer")
      .meta({ description: "Type of the Service in front of the gateway's proxies.", example: "ClusterIP" }),
    serviceAnnotations: z
      .record(text(253).meta({ allowed: "an annotation key" }), text(1024))
      .optional()
      .meta({
        description:
          "Annotations of that Service: the settings of your cloud's load balancer. They add to what the platform sets on OCI and AWS, and win over it (docs/network.md).",
        examples: [{ "service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing" }],
      }),
    tls: tlsSchema,
    consumers: z
      .array(dnsLabel(40))
      .min(1)
      .default(["default"])
      .meta({ description: "Clients; each gets an API key of its own.", example: ["web-app", "batch"] }),
    requestTimeoutSeconds: wholeNumber(1, 86_400).optional().meta({
      description: "Longest whole answer, streams included. Default: the gateway's.",
      unit: "seconds",
      example: 3600,
    }),
    streamIdleTimeoutSeconds: wholeNumber(1, 3600).optional().meta({
      description: "Longest silence inside a stream. Default: the gateway's.",
      unit: "seconds",
      example: 300,
    }),
    maxRequestMiB: wholeNumber(1, 1024).optional().meta({
      description:
        "Largest request body, and largest answer that is not streamed. Default: 4, more for very long contexts, 32 where a model takes images or makes embeddings. The memory limit of the gateway's proxies follows from it.",
      unit: "MiB",
      example: 8,
    }),
  })
  .meta({
    description: "The one address of all models.",
    example: { hostname: "inference.example.com", tls: { kind: "acme", email: "platform@example.com" } },
  });
