/** Files of a checkpoint in a folder, bucket or hub. */
export interface CheckpointFiles {
  /** A whole small file; undefined if missing. */
  text(name: string, mostBytes: number): Promise<string | undefined>;
  /** Fewer bytes at the end; undefined if missing. */
  part(name: string, begin: number, length: number): Promise<FilePart | undefined>;
  /** File names, where listable. */
  list?(): Promise<readonly string[]>;
}

export interface FilePart {
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly fileBytes: number;
}
