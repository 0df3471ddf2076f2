/** Unresolvable aliases and merge keys of YAML: the parser accepts them, and conversion throws. */
import { type Document, isCollection, isMap, isNode, isPair, type Node, visit, YAMLMap, YAMLSeq } from "yaml";
import { messageOf } from "../../names/message-of";

/** Allowed repetitions by aliases of one anchor. */
const MOST_ALIASES = 100;

/** Depth of the search for an error's cause; deeper ones have their parent's line. */
const DEEPEST = 100;

export interface Unresolved {
  /** In the text. */
  readonly offset: number;
  /** As in the file. */
  readonly value: string;
  readonly allowed: string;
  /** Fix, followed by the place. */
  readonly fix: string;
}

type Advice = Pick<Unresolved, "allowed" | "fix">;

/** By the start of the parser's message. */
const ADVICE: readonly (readonly [string, Advice])[] = [
  [
    "Merge sources",
    {
      allowed: "a merge key (<<) with a mapping, an alias of one, or a list of these",
      fix: 'write a mapping, or put the key in quotes ("<<"),',
    },
  ],
  [
    "Unresolved alias",
    {
      allowed: "an alias (*name) of an anchor (&name) above it",
      fix: "set the anchor above the alias, or put the text in quotes,",
    },
  ],
  [
    "Excessive alias",
    {
      allowed: `at most ${MOST_ALIASES} repetitions by the aliases of an anchor`,
      fix: "replace the alias by its value",
    },
  ],
];

const CIRCULAR: Advice = {
  allowed: "an alias of a value that does not contain the alias",
  fix: "replace the alias by what it should hold",
};

/** Plain data, or the obstacle. @throws RangeError for nesting deeper than the stack */
export function toPlain(
  document: Document.Parsed,
  text: string,
): { readonly plain: unknown } | { readonly unresolved: Unresolved } {
  const unresolved = ([offset, end]: Span, advice: Advice) => ({
    unresolved: { offset, value: text.slice(offset, end), ...advice },
  });
  const circular = aliasInItsAnchor(document);
  if (circular) {
    return unresolved(circular, CIRCULAR);
  }
  try {
    return { plain: document.toJS({ maxAliasCount: MOST_ALIASES }) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof RangeError) {
      throw error;
    }
    const { span, message = error.message } = firstFailure(document);
    return unresolved(span, adviceOn(message));
  }
}

function adviceOn(message: string): Advice {
  const [, advice] = ADVICE.find(([beginning]) => message.startsWith(beginning)) ?? [];
  return advice ?? { allowed: `a value that can be read: ${message}`, fix: "correct the value" };
}

/** End exclusive. */
type Span = readonly [number, number];

function spanOf({ range }: Node): Span {
  return range ? [range[0], range[1]] : [0, 0];
}

function aliasInItsAnchor(document: Document.Parsed): Span | undefined {
  const anchored = new Map<string, Node>();
  let found: Span | undefined;
  visit(document, {
    Value: (_, node) => {
      if (node.anchor !== undefined) {
        anchored.set(node.anchor, node);
      }
    },
    Alias: (_, alias, ancestors) => {
      const target = anchored.get(alias.source);
      if (target === undefined || !ancestors.includes(target)) {
        return undefined;
      }
      found = spanOf(alias);
      return visit.BREAK;
    },
  });
  return found;
}

/** The first and deepest unconvertible item, with its reason if any. */
function firstFailure(document: Document.Parsed): { readonly span: Span; readonly message?: string } {
  let node: unknown = document.contents;
  let found: ReturnType<typeof firstFailure> = { span: [document.range[0], document.range[1]] };
  for (let depth = 0; depth < DEEPEST && isCollection(node); depth++) {
    const item: unknown = firstFailing(document, node);
    const value = isPair(item) ? item.value : item;
    const message = isNode(value) ? failureOf(document, value) : undefined;
    const first = isPair(item) && message === undefined ? item.key : value;
    const last = isNode(value) ? value : first;
    if (!isNode(first) || !isNode(last)) {
      break;
    }
    const span: Span = [spanOf(first)[0], spanOf(last)[1]];
    found = message === undefined ? { ...found, span } : { span, message };
    node = message === undefined ? undefined : value;
  }
  return found;
}

/** The item at which a collection's conversion fails. */
function firstFailing(document: Document.Parsed, collection: YAMLMap | YAMLSeq): unknown {
  let [low, high] = [0, collection.items.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const beginning: YAMLMap | YAMLSeq = isMap(collection) ? new YAMLMap() : new YAMLSeq();
    beginning.items = collection.items.slice(0, middle + 1) as typeof beginning.items;
    [low, high] = failureOf(document, beginning) === undefined ? [middle + 1, high] : [low, middle];
  }
  return collection.items[low];
}

function failureOf(document: Document.Parsed, node: Node): string | undefined {
  try {
    node.toJS(document, { maxAliasCount: MOST_ALIASES });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
