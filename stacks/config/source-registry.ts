import { parseSource } from "../../engines/sources";

/** Host of the registry that a model is copied from, with its port where that is not 443. */
export function sourceRegistry({ source: text }: { readonly source?: string | undefined }): string | undefined {
  const source = text === undefined ? undefined : parseSource(text);
  return source?.kind === "artifact" ? source.registry : undefined;
}
