import { paddingOf, TAR_END, tarHeader } from "../../downloads/tar";

/** A whole archive of these files, in memory. */
export function archiveOf(entries: readonly { readonly path: string; readonly content: Uint8Array }[]): Buffer {
  const parts = entries.flatMap(({ path, content }) => [
    tarHeader(path, content.length),
    content,
    paddingOf(content.length),
  ]);
  return Buffer.concat([...parts, TAR_END]);
}
