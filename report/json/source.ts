/** Where weights of models and adapters come from, in the plan as JSON. */
import { z } from "zod";
import { taggedUnion } from "../../stacks/config/core/sections/tagged-union";
import { text } from "./fields";

const repository = z
  .strictObject({
    kind: z.literal("huggingface"),
    repository: text("organization/name."),
    revision: text("Commit, branch or tag."),
  })
  .meta({ description: "a repository of the Hugging Face hub." });

const prefix = { kind: z.literal("bucket"), uri: text("s3://bucket/prefix.") };

/** Sources of adapters. */
export const storedSources = [
  repository,
  z.strictObject(prefix).meta({ description: "a prefix of the model store." }),
] as const;

/** Sources of models. */
export const source = taggedUnion("kind", [
  repository,
  z
    .strictObject({
      ...prefix,
      copied: z
        .literal(true)
        .optional()
        .meta({ description: "Only where the bucket is elsewhere: a Job copies the prefix into the model store." }),
    })
    .meta({ description: "a prefix of the model store." }),
  z
    .strictObject({
      kind: z.literal("claim"),
      claim: text("Name of a claim in the model's namespace."),
      path: text("Folder on its volume; empty for all of it."),
    })
    .meta({ description: "a volume of the user's." }),
  z
    .strictObject({ kind: z.literal("folder"), path: text("Its absolute path.") })
    .meta({ description: "a folder of the node." }),
  z
    .strictObject({
      kind: z.literal("artifact"),
      registry: text("Host of the registry, with its port where that is not 443."),
      repository: text("Path in it."),
      tag: text("Tag, unless a digest alone is named.").optional(),
      digest: text("sha256: and 64 hexadecimal digits, where the bytes are pinned.").optional(),
      mounted: z.literal(true).optional().meta({
        description: "Only with storage.imageVolumes: pods mount it as an image volume, and nothing is copied.",
      }),
    })
    .meta({ description: "an artifact or image of an OCI registry, which a Job copies into the model store." }),
  z.strictObject({ kind: z.literal("ollama"), tag: text("name:tag.") }).meta({ description: "Ollama's library." }),
]).meta({ description: "Where the weights come from." });
