import { type Path, valueAt } from "./path";
import { plainText } from "./plain-text";
import type { SourceDocument } from "./read-documents";

type Root = SourceDocument["root"];

const NAME: Path = ["metadata", "name"];
const NAMESPACE: Path = ["metadata", "namespace"];

export function nameOf(root: Root): unknown {
  return valueAt(root, NAME);
}

/**
 * Objects of its namespace first; files without one apply to any.
 * @param shared namespaces open to every object, after its own.
 */
export function inNamespaceOf(
  root: Root,
  documents: readonly SourceDocument[],
  shared: readonly string[] = [],
): SourceDocument[] {
  const own = valueAt(root, NAMESPACE);
  const rank = (document: SourceDocument): number => {
    const namespace = valueAt(document.root, NAMESPACE);
    return namespace === own
      ? 0
      : namespace === undefined || own === undefined
        ? 1
        : shared.includes(plainText(namespace))
          ? 2
          : 3;
  };
  return documents.filter((each) => rank(each) < 3).sort((a, b) => rank(a) - rank(b));
}
