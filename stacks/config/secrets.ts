import { z } from "zod";
import { addonSecrets } from "../addons/sections";

/**
 * Secrets. Each has a key of its own, because Pulumi marks a whole key as secret: a secret inside a section would
 * make the section unreadable before deployment.
 */
export const secretFields = {
  huggingFaceToken: z
    .string()
    .regex(/^\S+$/)
    .optional()
    .meta({ description: "Access token of Hugging Face, for gated models.", allowed: "a token without spaces" }),
  registryCredentials: z.string().regex(/\S/).optional().meta({
    description: "Credentials by which container images are pulled: the content of a Docker config.json.",
    allowed: 'a Docker config.json: {"auths": {"registry.example.com": {"auth": "…"}}}',
  }),
  ...addonSecrets,
};

export type SecretKey = keyof typeof secretFields;

export const secretKeys = Object.keys(secretFields) as SecretKey[];
