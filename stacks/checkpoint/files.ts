/** Where the files of a checkpoint are: a folder, a bucket, a hub. */
export interface CheckpointFiles {
  /** A whole small file as text; undefined where there is none. */
  text(name: string, mostBytes: number): Promise<string | undefined>;
  /** Some bytes of a file, fewer where it ends; undefined where there is none. */
  part(name: string, begin: number, length: number): Promise<FilePart | undefined>;
  /** Names of the files, where they can be listed. */
  list?(): Promise<readonly string[]>;
}

export interface FilePart {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly fileBytes: number;
}
