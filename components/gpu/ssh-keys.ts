/** Keys of ssh for the two pods of a trial, made of one secret: nothing has to keep them, and they are the same at every deployment. */
import { createPrivateKey, createPublicKey, hkdfSync } from "node:crypto";

const TYPE = "ssh-ed25519";
/** Before the 32 bytes of an ed25519 seed in PKCS #8, and before those of a public key in SPKI (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI_LENGTH = 12;
const LINE = 70;

/** Files, by what reads them. */
export interface TrialKeys {
  /** Private keys in OpenSSH's own format: whose pod asks, and whose pod answers. */
  readonly client: string;
  readonly host: string;
  /** Who may log in: the client's key alone. */
  readonly authorizedKeys: string;
  /** Who may answer, under whichever name: the host's key alone. */
  readonly knownHosts: string;
}

/** @param secret that nobody can guess: 32 random characters and more. */
export function trialKeys(secret: string): TrialKeys {
  const client = keyPair(secret, "client");
  const host = keyPair(secret, "host");
  return {
    client: client.privateKey,
    host: host.privateKey,
    authorizedKeys: `restrict ${client.publicKey} client\n`,
    knownHosts: `* ${host.publicKey}\n`,
  };
}

function keyPair(secret: string, purpose: string): { readonly privateKey: string; readonly publicKey: string } {
  const seed = Buffer.from(hkdfSync("sha256", secret, "inference-stacks fabric gate", purpose, 32));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
  const point = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(SPKI_LENGTH);
  const publicBlob = Buffer.concat([field(TYPE), field(point)]);
  return {
    privateKey: opensshKey(seed, point, publicBlob, purpose),
    publicKey: `${TYPE} ${publicBlob.toString("base64")}`,
  };
}

/** openssh/openssh-portable, PROTOCOL.key: without a passphrase, one key. */
function opensshKey(seed: Buffer, point: Buffer, publicBlob: Buffer, comment: string): string {
  // Two equal numbers by which a reader knows that it decrypted well; there is nothing to decrypt.
  const check = Buffer.alloc(4);
  const inner = Buffer.concat([
    check,
    check,
    field(TYPE),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, i) => i + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    field("none"),
    field("none"),
    field(""),
    one,
    field(publicBlob),
    field(Buffer.concat([inner, padding])),
  ]);
  const lines = file.toString("base64").match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

/** Bytes with their length before them. */
function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
