export interface Registry {
  /** Stored index or manifest of a reference. */
  manifest(reference: string): Promise<Buffer>;
  /** Content of a blob. @param repository registry and repository, without tag and digest. */
  blob(repository: string, digest: string): AsyncIterable<Uint8Array>;
}
