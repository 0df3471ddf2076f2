import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { Keys } from "./key-file";

// AES-256 in Galois/Counter Mode, with the sizes of NIST SP 800-38D.
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Version byte of the format. */
const FORM = 1;

/** Authenticated context of encrypted data: prevents swapping answers. */
export interface About {
  readonly task: string;
  /** Number of the prompt. */
  readonly index: number;
  readonly what: "prompt" | "answer";
}

/** Cannot be decrypted: its key was removed, or the data was modified. */
export class Unsealable extends Error {}

/** Encrypts prompts and answers, with a key per task derived from that in the file. */
export class Sealer {
  constructor(private readonly file: { keys(): Keys }) {}

  seal(text: string, about: About): Buffer {
    const { id, secret } = this.current();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, taskKey(secret, about), nonce).setAAD(wordsOf(about));
    const sealed = [cipher.update(text, "utf8"), cipher.final()];
    const name = Buffer.from(id);
    return Buffer.concat([Buffer.from([FORM, name.length]), name, nonce, ...sealed, cipher.getAuthTag()]);
  }

  /** @throws Unsealable, without content in its message. */
  open(sealed: Buffer, about: About): string {
    const [form, length = 0] = sealed;
    const name = sealed.subarray(2, 2 + length).toString();
    const key = this.file.keys().find(({ id }) => id === name);
    if (form !== FORM || key === undefined) {
      throw new Unsealable("the key that it was encrypted with is not in the key file");
    }
    const body = sealed.subarray(2 + length);
    try {
      const decipher = createDecipheriv(CIPHER, taskKey(key.secret, about), body.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(wordsOf(about));
      decipher.setAuthTag(body.subarray(-TAG_BYTES));
      const text = decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString("utf8");
    } catch {
      throw new Unsealable("it is not what was encrypted");
    }
  }

  /** Keyed hashes of a text that is not stored, one per key, current first. */
  marks(text: string): readonly [string, ...string[]] {
    const [first, ...others] = this.file.keys().map(({ secret }) => markOf(secret, text));
    return [first ?? this.fail(), ...others];
  }

  private current(): Keys[number] {
    return this.file.keys()[0] ?? this.fail();
  }

  private fail(): never {
    throw new Error("a key file without a key");
  }
}

function taskKey(secret: Buffer, { task }: About): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `inference ${task}`, secret.length));
}

function wordsOf({ task, index, what }: About): Buffer {
  return Buffer.from(`${what} ${index} of ${task}`);
}

function markOf(secret: Buffer, text: string): string {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "marks", secret.length));
  return createHmac("sha256", key).update(text).digest("base64url");
}
