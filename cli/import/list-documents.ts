/** Lists as `kubectl get -o yaml` writes them. */
import { isMapping, type Path } from "./path";
import type { SourceDocument } from "./read-documents";

/** Splits a list into documents. */
export function unfolded(document: SourceDocument): SourceDocument[] {
  const { file, root } = document;
  const { kind, apiVersion, items } = root;
  if (typeof kind !== "string" || !kind.endsWith("List") || typeof apiVersion !== "string" || !Array.isArray(items)) {
    return [document];
  }
  // Items of a typed list omit their kind.
  const common = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return (items as unknown[]).flatMap((item, index): SourceDocument[] => {
    const own = (path: Path): Path => ["items", index, ...path];
    return isMapping(item)
      ? unfolded({
          file,
          root: { ...common, ...item },
          lineOf: (path) => document.lineOf(own(path)) ?? document.lineOf(own([])),
          sourceOf: (path) => document.sourceOf?.(own(path)) ?? { file, path: own(path) },
        })
      : [];
  });
}
