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

/** Secrets whose names the environment chooses: the API keys of servers outside, by how the names end. */
export const API_KEY_NAME = /^[a-z][A-Za-z0-9]{0,55}ApiKey$/;

/** Whether what stands under a key must be encrypted. */
export function isSecretKey(key: string): boolean {
  return Object.hasOwn(secretFields, key) || API_KEY_NAME.test(key);
}
