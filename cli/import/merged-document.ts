/** Merges a document with those it refers to, like Kubernetes' patches. */
import { isMapping, isWithin, type Path } from "./path";
import type { SourceDocument } from "./read-documents";

interface Side {
  readonly value: unknown;
  readonly document: SourceDocument;
  readonly at: Path;
}

/** Source of a value in the result. */
interface Origin {
  readonly path: Path;
  readonly side: Side;
}

/**
 * Merges mappings by key and lists by name; else the later value wins.
 * @param documents in order; the last names the result.
 * @param joined keys whose lists are concatenated.
 */
export function mergedDocument(
  documents: readonly [SourceDocument, ...SourceDocument[]],
  joined: readonly string[] = [],
): SourceDocument {
  const top = documents[documents.length - 1] ?? documents[0];
  const [first, ...others] = documents;
  return others.reduce((below, document) => mergedPair(below, document, top.file, joined), first);
}

function mergedPair(
  below: SourceDocument,
  above: SourceDocument,
  file: string,
  joined: readonly string[],
): SourceDocument {
  const origins: Origin[] = [];
  const side = (document: SourceDocument): Side => ({ value: document.root, document, at: [] });
  const root = merged([], side(below), side(above), joined, origins);
  const originOf = (path: Path): Side => {
    const nearest = origins
      .filter((origin) => isWithin(path, origin.path))
      .reduce((best, origin) => (origin.path.length > best.path.length ? origin : best), {
        path: [] as Path,
        side: side(above),
      });
    return { ...nearest.side, at: [...nearest.side.at, ...path.slice(nearest.path.length)] };
  };
  return {
    file,
    root: isMapping(root) ? root : above.root,
    lineOf: (path) => {
      const { document, at } = originOf(path);
      return document.lineOf(at);
    },
    sourceOf: (path) => {
      const { document, at } = originOf(path);
      return document.sourceOf?.(at) ?? { file: document.file, path: at };
    },
  };
}

function merged(path: Path, below: Side, above: Side, joined: readonly string[], origins: Origin[]): unknown {
  const take = (at: Path, side: Side): unknown => {
    origins.push({ path: at, side });
    return side.value;
  };
  take(path, above);
  if (isMapping(below.value) && isMapping(above.value)) {
    const keys = [...new Set([...Object.keys(below.value), ...Object.keys(above.value)])];
    return Object.fromEntries(
      keys.map((key) => {
        const [lower, upper] = [keyed(below, key), keyed(above, key)];
        const at = [...path, key];
        return [
          key,
          upper === undefined || lower === undefined
            ? take(at, (upper ?? lower) as Side)
            : merged(at, lower, upper, joined, origins),
        ];
      }),
    );
  }
  const last = path[path.length - 1];
  if (Array.isArray(below.value) && Array.isArray(above.value)) {
    const [lower, upper] = [items(below), items(above)];
    if (typeof last === "string" && joined.includes(last)) {
      return [...lower, ...upper].map((side, index) => take([...path, index], side));
    }
    if ([...lower, ...upper].every((side) => nameOf(side) !== undefined)) {
      const onlyAbove = upper.filter((side) => !lower.some((each) => nameOf(each) === nameOf(side)));
      return [
        ...lower.map((side, index) => {
          const patch = upper.find((each) => nameOf(each) === nameOf(side));
          const at = [...path, index];
          return patch === undefined ? take(at, side) : merged(at, side, patch, joined, origins);
        }),
        ...onlyAbove.map((side, index) => take([...path, lower.length + index], side)),
      ];
    }
  }
  return above.value;
}

function keyed({ value, document, at }: Side, key: string): Side | undefined {
  return isMapping(value) && Object.hasOwn(value, key) && value[key] !== undefined
    ? { value: value[key], document, at: [...at, key] }
    : undefined;
}

function items({ value, document, at }: Side): Side[] {
  return (value as unknown[]).map((each, index) => ({ value: each, document, at: [...at, index] }));
}

function nameOf({ value }: Side): string | undefined {
  return isMapping(value) && typeof value.name === "string" ? value.name : undefined;
}
