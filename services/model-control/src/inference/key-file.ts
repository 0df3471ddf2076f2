import { z } from "zod";
import { WatchedFile } from "../watched-file";

const keySchema = z.strictObject({
  /** Stored with encrypted data, for key rotation. */
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/, "letters, digits, dots, underscores and hyphens, at most 32"),
  /** 32 random bytes in base64: `openssl rand -base64 32`. */
  key: z.string().refine((text) => /^[A-Za-z0-9+/]{43}=$/.test(text), "32 bytes in base64"),
});

/**
 * Keys: `{"keys": [{"id", "key"}]}`, JSON or YAML. The first encrypts, all decrypt. To rotate,
 * prepend a key; remove old ones once their data has expired.
 */
export const keyFileSchema = z
  .strictObject({ keys: z.array(keySchema).min(1, "at least one key") })
  .superRefine(({ keys }, context) => {
    const ids = keys.map(({ id }) => id);
    ids.forEach((id, index) => {
      if (ids.indexOf(id) !== index) {
        context.addIssue({ code: "custom", path: ["keys", index, "id"], message: "an id that no other key has" });
      }
    });
  });

/** The first one encrypts. */
export type Keys = readonly { readonly id: string; readonly secret: Buffer }[];

/** Keys of a file that is reloaded on change: see `WatchedFile`. */
export class KeyFile {
  private readonly file: WatchedFile<Keys>;

  /** @throws ConfigError when the file is unusable. */
  constructor(path: string, onReload: (problem?: string) => void, now?: () => number) {
    const schema = keyFileSchema.transform(({ keys }) =>
      keys.map(({ id, key }) => ({ id, secret: Buffer.from(key, "base64") })),
    );
    this.file = new WatchedFile(path, schema, onReload, now);
  }

  keys(): Keys {
    return this.file.content();
  }
}
