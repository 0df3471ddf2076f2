import { z } from "zod";
import { addonSecrets } from "../addons/sections";

/**
 * Separate keys, because Pulumi marks whole keys as secret: a secret inside a section would make it
 * unreadable before deployment.
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
  sshPrivateKey: z
    .string()
    .regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[\s\S]+-----END [A-Z ]*PRIVATE KEY-----\s*$/)
    .optional()
    .meta({
      description:
        "Private key that logs in to the machine of cluster.hosts. Default: the keys of the deployer's SSH agent.",
      allowed: "a private key as OpenSSH writes it, with its first and last line",
    }),
  sshPrivateKeyPassphrase: z
    .string()
    .regex(/^[^\p{Cc}]+$/u)
    .optional()
    .meta({ description: "Opens sshPrivateKey, where it is encrypted.", allowed: "text on one line" }),
  sshPassword: z
    .string()
    .regex(/^[^\p{Cc}]+$/u)
    .optional()
    .meta({
      description:
        "Password of the user of cluster.hosts: for sudo, where it asks for one, and to log in where no key is taken.",
      allowed: "text on one line",
    }),
  ...addonSecrets,
};

export type SecretKey = keyof typeof secretFields;

export const secretKeys = Object.keys(secretFields) as SecretKey[];

/** API keys of external servers, with names chosen by the environment, by suffix. */
export const API_KEY_NAME = /^[a-z][A-Za-z0-9]{0,55}ApiKey$/;

export function isSecretKey(key: string): boolean {
  return Object.hasOwn(secretFields, key) || API_KEY_NAME.test(key);
}
