/** Hosted models behind an OpenAI-compatible URL, without a plan. */
import { z } from "zod";
import type { ModelTask } from "../../../../engines/served-model";
import { text } from "./fields";
import { outsideFields } from "./outside-fields";

/** Of OpenAI's API. */
const TASKS = ["chat", "completion", "embedding"] as const satisfies readonly ModelTask[];

export const servedNameField = text(128).optional().meta({
  description: "What clients put in the `model` field. Default: the name of this entry.",
  example: "llama-3.3-70b",
});

const externalSchema = z
  .strictObject({
    ...outsideFields({
      description:
        "Base URL of the server's OpenAI-compatible API, with its path: clients' paths behind /v1 are added to it.",
      example: "https://api.example.com/v1",
    }),
    model: text(256).optional().meta({
      description: "Name of the model there. Default: the servedName.",
      example: "qwen2.5-7b-instruct",
    }),
    healthPath: text(256)
      .regex(/^\/[\w.~/-]*$/)
      .optional()
      .meta({
        description:
          "Path, from the server's root, that the gateway asks every 30 seconds, without a key: 200 is healthy, and with secretKey 401 and 403 are too. Default: /models behind the URL's path.",
        allowed: "a path that begins with /, of letters, digits, and -._~/",
        example: "/health",
      }),
    // A rule checks the form without showing the value: a pasted key must not be repeated.
    secretKey: text(256).optional().meta({
      description:
        "Name of the secret that holds the server's API key, which the gateway sends as bearer token in place of the client's. Default: none is sent.",
      allowed: "the name of a secret that ends with ApiKey",
      example: "exampleApiKey",
    }),
    caFile: text(2048).optional().meta({
      description:
        "Certificates of the authorities that the server's certificate may be signed by: a PEM file, from the folder of the environment's file. Default: those that the gateway's image trusts.",
      example: "certificates/office.pem",
    }),
  })
  .meta({ description: "Where the model is.", example: { url: "https://api.example.com/v1" } });

export const externalModelSchema = z
  .strictObject({
    engine: z.literal("external").meta({ example: "external" }),
    servedName: servedNameField,
    task: z.enum(TASKS).default("chat").meta({ description: "What the model does.", example: "chat" }),
    external: externalSchema,
  })
  .meta({
    description: "An external server with OpenAI's API: it is published and called, and nothing of it is planned.",
  });

export type ExternalModelConfig = z.output<typeof externalModelSchema>;
