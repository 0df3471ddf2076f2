import { z } from "zod";
import { WatchedFile } from "../watched-file";

/**
 * `read`: read-only calls. `pull`: also request models. `infer`: run inference, read and delete own
 * answers. `operate`: everything except the answers of others.
 */
const SCOPES = ["read", "pull", "infer", "operate"] as const;
export type Scope = (typeof SCOPES)[number];

const tokenSchema = z.strictObject({
  /** Name in logs and key of the rate limit. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dots, underscores and hyphens, at most 63"),
  /** SHA-256 of the token, hexadecimal. Tokens are long and random, so a plain hash is safe. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits in small letters"),
  scopes: z.array(z.enum(SCOPES)).min(1, "at least one scope"),
  /** Tokens of one tenant share answers. @default none: only this token has access */
  tenant: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dots, underscores and hyphens, at most 63")
    .optional(),
  /** Models it may run inference on, by any alias. @default all */
  models: z.array(z.string().min(1)).optional(),
});

/** Accepted tokens: `{"tokens": [{"id", "sha256", "scopes"}]}`, JSON or YAML. */
export const tokenFileSchema = z.strictObject({ tokens: z.array(tokenSchema) }).superRefine(({ tokens }, context) => {
  const ids = tokens.map(({ id }) => id);
  tokens.forEach(({ id }, index) => {
    if (ids.indexOf(id) === index) {
      return;
    }
    context.addIssue({ code: "custom", path: ["tokens", index, "id"], message: "an id that no other token has" });
  });
});

export type TokenEntry = z.infer<typeof tokenSchema>;

/** Tokens of a file that is reloaded on change: see `WatchedFile`. */
export class TokenFile {
  private readonly file: WatchedFile<{ readonly tokens: readonly TokenEntry[] }>;

  /**
   * @param onReload called after each change; receives the problem if the new content is unusable,
   *   and the old content stays.
   * @throws ConfigError when the file is initially unusable.
   */
  constructor(path: string, onReload: (problem?: string) => void, now?: () => number) {
    this.file = new WatchedFile(path, tokenFileSchema, onReload, now);
  }

  tokens(): readonly TokenEntry[] {
    return this.file.content().tokens;
  }
}
