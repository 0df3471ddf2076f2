import { z } from "zod";

const REGISTRY = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/;

function registry() {
  return z
    .string()
    .max(255)
    .regex(REGISTRY)
    .meta({ allowed: "a registry, with a path if need be, without https:// before and / behind it" });
}

export const imagesSection = z
  .strictObject({
    mirror: registry().optional().meta({
      description:
        "Registry that holds every image under its whole name: docker.io/ollama/ollama is pulled as <mirror>/docker.io/ollama/ollama. Images that are there already stay. Default: each image's own registry.",
      example: "registry.example.com/mirror",
    }),
    registries: z
      .record(
        z
          .string()
          .max(255)
          .regex(/^[a-z0-9.-]+(:\d{1,5})?$/)
          .meta({ allowed: "the name of a registry, such as docker.io" }),
        registry(),
      )
      .optional()
      .meta({
        description:
          "Proxies of one registry each, by its name; they hold its images under their names alone. They come before mirror.",
        example: { "docker.io": "registry.example.com/dockerhub" },
      }),
  })
  .prefault({})
  .meta({
    description:
      "Where all container images come from, those of charts and of what controllers start included. Credentials: the secret registryCredentials.",
    example: { mirror: "registry.example.com/mirror" },
  });
