/** What is asked of a registry of images and charts. */
export interface Registry {
  /** The index or manifest of a reference, as the registry stores it. */
  manifest(reference: string): Promise<Buffer>;
  /** The content of a blob. @param repository registry and repository, without tag and digest. */
  blob(repository: string, digest: string): AsyncIterable<Uint8Array>;
}
