/** By which id a file's source names its content, and that id computed from the bytes. */
import { createHash, type Hash } from "node:crypto";
import type { RepositoryFile } from "./hugging-face.ts";

export interface ContentHash {
  update(chunk: Uint8Array): void;
  id(): string;
}

/** The Hub's SHA-256 or git blob, or the entity tag of an S3 store. */
export function contentId({ sha256, etag, gitBlob }: RepositoryFile): string {
  return sha256 ?? etag?.value ?? gitBlob;
}

/** Undefined where the id does not depend on the bytes: the entity tag of an object that its store encrypts with keys of a service. */
export function contentHash({ sha256, etag, size }: RepositoryFile): ContentHash | undefined {
  if (sha256 !== undefined) {
    return plainHash(createHash("sha256"));
  }
  if (etag === undefined) {
    return plainHash(createHash("sha1").update(`blob ${size}\0`));
  }
  return etag.partBytes === undefined ? undefined : entityTag(etag.value, etag.partBytes);
}

function plainHash(hash: Hash): ContentHash {
  return { update: (chunk) => void hash.update(chunk), id: () => hash.digest("hex") };
}

/**
 * MD5 of an object that was written at once; of one in parts the MD5 of their MD5s, and their number. S3 documents both
 * ("Checking object integrity", read 2026-11-29), and MinIO does the same.
 */
function entityTag(value: string, partBytes: number): ContentHash {
  if (!value.includes("-")) {
    return plainHash(createHash("md5"));
  }
  const ofParts = createHash("md5");
  let parts = 0;
  let part = createHash("md5");
  let inPart = 0;
  const close = () => {
    ofParts.update(part.digest());
    parts += 1;
    part = createHash("md5");
    inPart = 0;
  };
  return {
    update(chunk) {
      for (let at = 0; at < chunk.byteLength; ) {
        const taken = chunk.subarray(at, at + partBytes - inPart);
        part.update(taken);
        at += taken.byteLength;
        inPart += taken.byteLength;
        if (inPart === partBytes) {
          close();
        }
      }
    },
    id() {
      if (inPart > 0) {
        close();
      }
      return `${ofParts.digest("hex")}-${parts}`;
    },
  };
}
