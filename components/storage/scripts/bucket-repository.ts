/** A model in an S3 bucket of the user's, as the sync Job reads it: a folder without commits. */
import { createHash } from "node:crypto";
import type { EntityTag, Repository, RepositoryFile } from "./hugging-face.ts";
import { refuseUnsafePaths } from "./model-files.ts";
import { resumed } from "./resume.ts";
import { FinalError } from "./retry.ts";
import type { S3Bucket, StoredObject } from "./s3.ts";
import { wholeBody } from "./whole-body.ts";

/** More than any model has: a prefix that is a whole bucket is a mistake. */
const MOST_FILES = 10_000;
/** Of a text that is kept in memory, such as an index of weights. */
const MOST_TEXT_BYTES = 64 * 2 ** 20;

export class BucketRepository implements Repository {
  /** `s3://bucket/prefix` */
  readonly repository: string;
  private readonly bucket: S3Bucket;
  private readonly prefix: string;
  private listed: readonly StoredObject[] | undefined;

  /** @param prefix without slashes at its ends; empty for the whole bucket. */
  constructor(bucket: S3Bucket, prefix: string) {
    this.bucket = bucket;
    this.prefix = prefix === "" ? "" : `${prefix}/`;
    this.repository = `s3://${bucket.bucket}/${prefix}`;
  }

  /** In place of the commit, which a bucket lacks: names, sizes and entity tags of all files, hashed. */
  async commit(): Promise<string> {
    const lines = (await this.objects()).map(({ key, size, etag }) => `${key} ${size} ${etag}`).sort();
    return createHash("sha1").update(lines.join("\n")).digest("hex");
  }

  async files(): Promise<RepositoryFile[]> {
    const objects = await this.objects();
    const paths = objects.map(({ key }) => key.slice(this.prefix.length));
    refuseUnsafePaths(this.repository, paths);
    const files: RepositoryFile[] = [];
    for (const [index, object] of objects.entries()) {
      const etag = await this.entityTag(object);
      files.push({ path: paths[index] ?? "", size: object.size, gitBlob: "", etag });
    }
    return files;
  }

  async text(_commit: string, path: string): Promise<string> {
    const response = await this.bucket.get(`${this.prefix}${path}`);
    return (await wholeBody(response, `${this.repository}, ${path}`, MOST_TEXT_BYTES)).toString("utf8");
  }

  /** Resumes a broken connection as long as the object is the one that was listed. */
  download(_commit: string, { path, size, etag }: RepositoryFile): AsyncGenerator<Uint8Array> {
    const { repository } = this;
    return resumed({ repository, path, size, fromByte: 0 }, (from) =>
      this.bucket.get(`${this.prefix}${path}`, {
        "if-match": `"${etag?.value}"`,
        ...(from > 0 && { range: `bytes=${from}-` }),
      }),
    );
  }

  private async objects(): Promise<readonly StoredObject[]> {
    if (this.listed === undefined) {
      // What tools show as a folder is an empty object with a slash at its end.
      const objects = (await this.bucket.list(this.prefix)).filter(({ key }) => !key.endsWith("/"));
      if (objects.length === 0) {
        throw new FinalError(`${this.repository} holds no files: correct the prefix, or upload them`);
      }
      if (objects.length > MOST_FILES) {
        throw new FinalError(`${this.repository} holds ${objects.length} files: name the prefix of one model`);
      }
      this.listed = objects;
    }
    return this.listed;
  }

  private async entityTag({ key, size, etag }: StoredObject): Promise<EntityTag> {
    const [, count] = /^[0-9a-f]{32}(?:-(\d+))?$/.exec(etag) ?? [];
    const part = await this.bucket.firstPart(key);
    // Of encrypted objects the tag is no hash of what is read.
    if (part === undefined || part.isEncryptedByService || !/^[0-9a-f]{32}(-\d+)?$/.test(etag)) {
      return { value: etag };
    }
    if (count === undefined) {
      return { value: etag, partBytes: Math.max(1, size) };
    }
    return Math.ceil(size / part.bytes) === Number(count) ? { value: etag, partBytes: part.bytes } : { value: etag };
  }
}
