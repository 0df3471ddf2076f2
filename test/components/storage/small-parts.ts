import { S3Bucket } from "../../../components/storage/scripts/s3.ts";

/** Parts of two MiB: what happens between parts is the same, in a sixteenth of the bytes. */
export const SMALL_PART_BYTES = 2 ** 21;

export class SmallPartsBucket extends S3Bucket {
  override readonly partBytes = SMALL_PART_BYTES;
}
