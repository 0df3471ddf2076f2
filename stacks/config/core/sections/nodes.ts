/** Server groups: a model's replicas as inference nodes behind one address. */
import { z } from "zod";
import { dnsLabel, text, wholeNumber } from "./fields";
import { outsideFields } from "./outside-fields";
import { replicasFields } from "./replicas";

const registrarSchema = z
  .strictObject({
    ...outsideFields({
      description: "Base URL of the registrar's API (docs/nodes.md).",
      example: "https://registrar.example.com",
    }),
    // As for external models, a rule checks the form without showing the value.
    secretKey: text(256).optional().meta({
      description: "Name of the secret with the key that nodes send as bearer token. Default: they send none.",
      allowed: "the name of a secret that ends with ApiKey",
      example: "registrarApiKey",
    }),
    caFile: text(2048).optional().meta({
      description:
        "Certificates of the authorities that the registrar's certificate may be signed by: a PEM file, from the folder of the environment's file. Default: those that the image trusts.",
      example: "certificates/office.pem",
    }),
    renewSeconds: wholeNumber(5, 3600).default(30).meta({
      description: "Time between two renewals of a node; one that has missed three of them is gone.",
      unit: "seconds",
      example: 30,
    }),
  })
  .meta({
    description: "Where nodes register, renew and leave. Default: none.",
    example: { url: "https://registrar.example.com" },
  });

export const nodesSection = z
  .record(
    dnsLabel(40),
    z
      .strictObject({
        // A rule knows the entries, and common mistakes.
        model: text(256).meta({
          allowed: "a name under models",
          description: "Model that the nodes serve, by its key under models; an external one too.",
          example: "assistant",
        }),
        replicas: replicasFields.optional().meta({
          description: "How many nodes there are. Default: as many as the model has replicas; say it in one place.",
          example: { min: 2 },
        }),
        registrar: registrarSchema.optional(),
      })
      .meta({
        description: "Nodes of one model behind https://<gateway>/<name of this entry>.",
        example: { model: "assistant" },
      }),
  )
  .default({})
  .meta({
    description:
      "Server groups. Next to each engine of such a model runs an Envoy that answers /health and /infer (docs/nodes.md).",
    example: { "inference-cluster": { model: "assistant" } },
  });

export type NodesConfig = z.output<typeof nodesSection>;
