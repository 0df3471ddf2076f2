import { z } from "zod";
import { WatchedFile } from "../watched-file";

/**
 * What a token allows: `read` all that changes nothing, `pull` to ask for models as well, `infer` to have a model answer,
 * and to read and delete its own answers; `operate` everything, but not the answers of others.
 */
const SCOPES = ["read", "pull", "infer", "operate"] as const;
export type Scope = (typeof SCOPES)[number];

const tokenSchema = z.strictObject({
  /** Who has it: in logs, and as the key of the rate limit. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dots, underscores and hyphens, at most 63"),
  /** SHA-256 of the token in hexadecimal. Tokens are long and random, so that a plain hash tells nothing of them. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits in small letters"),
  scopes: z.array(z.enum(SCOPES)).min(1, "at least one scope"),
  /** Tokens of one tenant find each other's answers. Not set: nobody finds them but this token. */
  tenant: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, "letters, digits, dots, underscores and hyphens, at most 63")
    .optional(),
  /** The models that it may have answer, by any name that they are asked by. Not set: all. */
  models: z.array(z.string().min(1)).optional(),
});

/** The file of the tokens that are accepted: `{"tokens": [{"id", "sha256", "scopes"}]}`, JSON or YAML. */
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

/** The tokens of a file that may change at any time: see `WatchedFile`. */
export class TokenFile {
  private readonly file: WatchedFile<{ readonly tokens: readonly TokenEntry[] }>;

  /**
   * @param onReload told after each change, with the problem where the new content cannot be used: the old one stays.
   * @throws ConfigError when the file cannot be used now.
   */
  constructor(path: string, onReload: (problem?: string) => void, now?: () => number) {
    this.file = new WatchedFile(path, tokenFileSchema, onReload, now);
  }

  tokens(): readonly TokenEntry[] {
    return this.file.content().tokens;
  }
}
