import { z } from "zod";
import { CONSUMER_HEADER, TENANT_HEADER, TOKEN_CONSUMER_HEADER } from "../../../../names/gateway";
import { AFFINITIES } from "../../../../planner/affinity";
import { existingControllerSchema } from "./existing-controller";
import { dnsLabel, hostname, text, url, wholeNumber } from "./fields";
import { outsideNetworks, WITHOUT_NETWORKS } from "./outside-fields";
import { taggedUnion } from "./tagged-union";
import { wildcardDnsSchema } from "./wildcard-dns";

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
      server: url({ protocol: /^https$/ })
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
  z
    .strictObject({
      kind: z.literal("issuer"),
      clusterIssuer: dnsLabel(253).meta({
        description: "Existing ClusterIssuer of cert-manager, which signs certificates of the gateway's names.",
        allowed: "name of a ClusterIssuer",
        example: "corp-issuer",
      }),
    })
    .meta({ description: "signed by a ClusterIssuer that the cluster has, renewed by its cert-manager." }),
]).meta({
  description: "Certificate of the gateway.",
  example: { kind: "acme", email: "platform@example.com" },
});

/** Headers with a meaning in HTTP, authentication or the gateway. */
const TAKEN_HEADERS = [
  ...["host", "authorization", "cookie", "content-length", "content-type", "connection", "transfer-encoding", "te"],
  ...["x-api-key", "x-forwarded-for", "x-forwarded-proto", "x-request-id", "x-quota", "x-path-model"],
  ...[CONSUMER_HEADER, TENANT_HEADER, TOKEN_CONSUMER_HEADER],
];

const consumerName = dnsLabel(40);

const consumerSchema = z
  .strictObject({
    models: z
      .array(dnsLabel(40))
      .min(1)
      .optional()
      .meta({
        description:
          "Models that it may call, and LoRA adapters: who names adapters of a model may call these alone, and the model itself where that is named too. All else answers 403. Default: all.",
        allowed: "names of models of this environment, and of their adapters",
        example: ["assistant"],
      }),
    requestsPerMinute: wholeNumber(1, 1_000_000).optional().meta({
      description: "Requests of all its clients together, at all proxies; one more answers 429. Default: no limit.",
      unit: "requests",
      example: 600,
    }),
    tokensPerMinute: wholeNumber(1, 1_000_000_000).optional().meta({
      description:
        "Tokens of prompts and answers together; what begins below the limit is finished, the next request answers 429. Default: no limit.",
      unit: "tokens",
      example: 200_000,
    }),
    priority: z.enum(["paid", "free"]).default("paid").meta({
      description: "Requests of free consumers are refused first when a model has more than it can do.",
      example: "free",
    }),
    secretKey: text(64).optional().meta({
      description:
        "Name of the secret with its API key, for clients that have one already: it ends with ApiKey, and its value has 16 characters or more. Default: a key is made.",
      allowed: "the name of a secret, letters and digits with ApiKey at the end; never the key itself",
      example: "webAppApiKey",
    }),
  })
  .meta({ description: "What a client may do.", example: { requestsPerMinute: 600 } });

/** A list is short for a mapping without settings. */
const consumersSchema = z
  .union([
    z.array(consumerName).min(1),
    z.record(consumerName, consumerSchema).refine((consumers) => Object.keys(consumers).length > 0),
  ])
  .default(["default"])
  .meta({
    description: "Clients; each gets an API key of its own. As a mapping, each with its limits.",
    allowed: "a list of names, or a mapping from names to limits; at least one",
    example: { "web-app": {}, batch: { models: ["assistant"], tokensPerMinute: 200_000, priority: "free" } },
  });

const sharers = z.array(consumerName).min(2);

const prefixCachesSchema = z
  .strictObject({
    share: z
      .union([z.array(sharers), sharers])
      .default([])
      .meta({
        description:
          "Groups of consumers that may use what others of their group left in a prefix cache: answers begin sooner where they send the same prompts, and each can find out by the time to the first token what another sent.",
        allowed: "a list of at least two names of consumers, or several such lists, and each name in one of them",
        example: [["web-app", "batch"]],
      }),
  })
  .meta({
    description: "Who shares prefix caches of engines; all others have parts of their own (docs/prefix-caches.md).",
    example: { share: [["web-app", "batch"]] },
  });

/** Envoy Gateway's limit (CRD of SecurityPolicy 1.9, jwt.providers). */
const httpsUrl = url({ protocol: /^https$/, maxLength: 253 });

/** For Envoy dots lead into nested claims, so names with dots, as of URLs, are never found. */
const claim = text(128).regex(/^[\w-]+(\.[\w-]+)*$/);

const authSchema = z
  .strictObject({
    oidc: z
      .strictObject({
        issuer: httpsUrl.meta({
          description: "Who signs tokens: the claim iss, to the letter.",
          allowed: "an https:// URL of at most 253 characters",
          example: "https://login.example.com/realms/platform",
        }),
        audience: text(256).meta({
          description: "The claim aud must name it.",
          example: "inference",
        }),
        jwksUri: httpsUrl.optional().meta({
          description:
            "Where the issuer publishes its keys: jwks_uri in its .well-known/openid-configuration. Default: where Microsoft Entra ID, Google, Keycloak, Okta, Auth0 and Amazon Cognito have it; required for others.",
          allowed: "an https:// URL of at most 253 characters",
          example: "https://login.example.com/realms/platform/protocol/openid-connect/certs",
        }),
        networks: outsideNetworks.meta({
          description: `Networks in CIDR form that the name in jwksUri resolves to: the proxies reach these alone there. Default: ${WITHOUT_NETWORKS}`,
          example: ["10.20.0.7/32"],
        }),
        caFile: text(2048).optional().meta({
          description:
            "Certificates of the authorities that the certificate of that server may be signed by: a PEM file, from the folder of the environment's file. Default: those that the gateway's image trusts.",
          example: "certificates/office.pem",
        }),
        tenantClaim: claim.default("client_id").meta({
          description:
            "Claim that names the consumer whose limits count, with dots into claims of claims; a token that names none of consumers answers 403, and so does a claim with several values.",
          allowed: "a claim's name of letters, digits, _ and -, or several joined by dots",
          example: "client_id",
        }),
      })
      .meta({
        description: "Tokens (JWT) of an OpenID Connect issuer.",
        example: { issuer: "https://login.example.com/realms/platform", audience: "inference" },
      }),
  })
  .meta({
    description: "Proofs of identity that count besides API keys.",
    example: { oidc: { issuer: "https://login.example.com/realms/platform", audience: "inference" } },
  });

export const gatewaySection = z
  .strictObject({
    hostname: hostname.optional().meta({
      description:
        "Public name of the gateway: clients call https://<hostname>/v1. Required, unless wildcardDns makes one.",
      example: "inference.example.com",
    }),
    wildcardDns: wildcardDnsSchema.optional(),
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
    controller: existingControllerSchema.optional(),
    tls: tlsSchema,
    consumers: consumersSchema,
    auth: authSchema.optional(),
    prefixCaches: prefixCachesSchema.optional(),
    sessionHeader: z
      .string()
      .max(64)
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .refine((name) => !TAKEN_HEADERS.includes(name) && !name.startsWith("x-envoy-") && !name.startsWith("x-ai-eg-"))
      .optional()
      .meta({
        description: "Header in which clients name their session, where affinity is header. Default: x-session-id.",
        allowed: "a lower-case header that is not reserved by HTTP, credentials or the gateway",
        example: "x-user-id",
      }),
    affinity: z.enum(AFFINITIES).default("none").meta({
      description:
        "What keeps a session at one replica, whose cache then knows its prompts: the header sessionHeader, or a cookie that the gateway makes. Without it the least busy replica answers. Of models that do not say it themselves (docs/affinity.md).",
      example: "header",
    }),
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
    drainSeconds: wholeNumber(1, 86_400).optional().meta({
      description:
        "How long a proxy or a replica that is stopped may finish its requests; it goes as soon as the last one ends. Default: requestTimeoutSeconds, so that nothing is cut. Less, where nodes cannot wait.",
      unit: "seconds",
      example: 600,
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
