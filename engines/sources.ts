/** Where weights may come from: how a configuration writes it, who answers there, and whether our model store has a part in it. */
import type { ModelSource, StoredSource } from "./served-model";

export type SourceKind = ModelSource["kind"];

export interface SourceFacts {
  /** Before `://` in `models.<name>.source`. */
  readonly scheme: string;
  /** The whole, as people are told to write it. */
  readonly form: string;
  /** What may stand behind the scheme, as a regular expression. */
  readonly pattern: string;
  /** Who answers, as people call it. */
  readonly label: string;
  /** The same of one model, as a word beside its name. */
  readonly place: string;
  /** Engines read it in the environment's model store, whoever put it there; else they fetch it themselves. */
  readonly throughStore: boolean;
  /** Servers on the internet that a download leads to; `*.` before a name is all below it. @default none */
  readonly hosts?: readonly string[];
  /** @default nobody else can change what is there */
  readonly moves?: Moves;
}

/** Where somebody else may put other bytes under the same name. */
export interface Moves {
  /** What would happen then. */
  readonly effect: string;
  /** How a revision that stays is written. */
  readonly fixed: string;
  /** `npm run pin` can write it. */
  readonly hasCommits: boolean;
}

/**
 * One part of a path. Nothing that a policy of the store reads as a wildcard or a variable (`*`, `?`, `${…}`), and no `.`
 * or `..`: the path becomes part of a policy, of a URL and of a folder's name.
 */
const PART = /(?!\.{1,2}(?:[/@]|$))[\w.-]+/.source;

/** Name of a claim: a DNS label. */
const CLAIM = /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/.source;

/** Registry of names without a host, where names may carry one. What an engine keeps locally alone counts as its, too. */
export const DEFAULT_REGISTRY = "registry.ollama.ai";

/** By the kind that plans and their JSON name. */
export const SOURCES: Readonly<Record<SourceKind, SourceFacts>> = {
  huggingface: {
    scheme: "hf",
    form: "hf://org/name[@revision]",
    pattern: `${PART}/${PART}(@${PART}(/${PART})*)?`,
    label: "Hugging Face",
    place: "Hugging Face",
    throughStore: true,
    // The hub, and the stores that it redirects to (huggingface.co/docs, 2026-11-23).
    hosts: ["huggingface.co", "*.huggingface.co", "*.hf.co"],
    moves: {
      effect: "a push to the repository would change what runs",
      fixed: "hf://org/name@ and the 40 hexadecimal digits of a commit",
      hasCommits: true,
    },
  },
  bucket: {
    scheme: "s3",
    form: "s3://bucket/prefix",
    pattern: `[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/${PART}(/${PART})*)?/*`,
    label: "buckets",
    place: "bucket",
    throughStore: true,
  },
  claim: {
    scheme: "pvc",
    form: "pvc://claim/path",
    pattern: `${CLAIM}(/${PART}(/${PART})*)?/*`,
    label: "volume claims",
    place: "volume claim",
    throughStore: false,
  },
  ollama: {
    scheme: "ollama",
    form: "ollama://tag",
    pattern: "[\\w.-]+(/[\\w.-]+)*(:[\\w.-]+)?",
    label: "the Ollama registry",
    place: "Ollama registry",
    throughStore: false,
    // It redirects downloads to a store of Cloudflare's (ollama/ollama#4307, read 2026-11-23).
    hosts: [DEFAULT_REGISTRY, "*.r2.cloudflarestorage.com"],
    moves: {
      effect: "the registry moves it to newer builds, and a new replica would run another model",
      fixed: "ollama://name:tag with a tag that names size and format",
      hasCommits: false,
    },
  },
};

export type ClaimSource = Extract<ModelSource, { readonly kind: "claim" }>;

/** Pods mount the user's volume, and fetch nothing. */
export function isClaim(source: ModelSource): source is ClaimSource {
  return source.kind === "claim";
}

export const sourceKinds = Object.keys(SOURCES) as readonly SourceKind[];

/** Kinds that engines read in the environment's model store. */
export const storedKinds = sourceKinds.filter((kind) => SOURCES[kind].throughStore);

export function isStored(source: ModelSource): source is StoredSource {
  return SOURCES[source.kind].throughStore;
}

/** Every source of these kinds. */
export function sourcePatternOf(kinds: readonly SourceKind[]): RegExp {
  return new RegExp(`^(${kinds.map((kind) => `${SOURCES[kind].scheme}://${SOURCES[kind].pattern}`).join("|")})$`);
}

/** `hf://org/name[@revision], s3://bucket/prefix or ollama://tag`. */
export function sourceFormsOf(kinds: readonly SourceKind[]): string {
  return either(kinds.map((kind) => SOURCES[kind].form));
}

export const sourcePattern = sourcePatternOf(sourceKinds);
export const sourceForms = sourceFormsOf(sourceKinds);

/** Where the weights of one model come from, for people. */
export interface Origin {
  /** Repository, bucket with prefix, or tag. */
  readonly name: string;
  /** Whose that is. */
  readonly place: string;
  /** Commit, branch or tag, where the place has them. */
  readonly revision?: string;
}

export function originOf(source: ModelSource): Origin {
  const { place } = SOURCES[source.kind];
  switch (source.kind) {
    case "huggingface":
      return { name: source.repository, place, revision: source.revision };
    case "bucket":
      return { name: source.uri, place };
    case "claim":
      return { name: sourceText("claim", [source.claim, source.path].filter((part) => part !== "").join("/")), place };
    case "ollama":
      return { name: source.tag, place };
  }
}

/** A commit of a repository: a branch or tag may point elsewhere tomorrow, only a commit's full hash does not. */
export const COMMIT = /^[0-9a-f]{40}$/;

/** The commit that a source names; undefined for branches, tags, and what has no commits. */
export function commitOf(source: ModelSource | undefined): string | undefined {
  return source?.kind === "huggingface" && COMMIT.test(source.revision) ? source.revision : undefined;
}

/** What a source follows that somebody else may move: a branch or tag of a repository, the latest build of a registry. */
export function movingPart(source: ModelSource): string | undefined {
  switch (source.kind) {
    case "huggingface":
      return commitOf(source) === undefined ? `@${source.revision}` : undefined;
    case "ollama": {
      // There are no commits. Other tags name a size and a format, and are left alone.
      const [, tag = "latest"] = /:([^:/]+)$/.exec(source.tag) ?? [];
      return tag === "latest" ? ":latest" : undefined;
    }
    case "bucket":
    case "claim":
      return undefined;
  }
}

/** `a`, `a or b`, `a, b or c`. */
function either(words: readonly string[]): string {
  const [last = "", ...others] = [...words].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
}

/** `hf://org/name`: what stands behind the scheme, and of which kind it is; undefined where no scheme of ours stands. */
export function splitSource(text: string): { readonly kind: SourceKind; readonly name: string } | undefined {
  const kind = sourceKinds.find((each) => text.startsWith(`${SOURCES[each].scheme}://`));
  return kind && { kind, name: text.slice(`${SOURCES[kind].scheme}://`.length) };
}

export function sourceText(kind: SourceKind, name: string): string {
  return `${SOURCES[kind].scheme}://${name}`;
}

/** `s3://bucket/a/b/`: the bucket, and the prefix without slashes at its ends. */
export function splitBucketUri(uri: string): { readonly bucket: string; readonly prefix: string } {
  const [, bucket = "", prefix = ""] = /^s3:\/\/([^/]+)\/*(.*?)\/*$/.exec(uri) ?? [];
  return { bucket, prefix };
}

/** A configured source as the plan has it; undefined where no scheme of ours stands. */
export function parseSource(text: string): ModelSource | undefined {
  const { kind, name = "" } = splitSource(text) ?? {};
  switch (kind) {
    case "bucket":
      return { kind, uri: text };
    case "claim": {
      const [claim = "", ...path] = name.replace(/\/+$/, "").split("/");
      return { kind, claim, path: path.join("/") };
    }
    case "ollama":
      return { kind, tag: name };
    case "huggingface": {
      const [repository = name, revision = "main"] = name.split("@");
      return { kind, repository, revision };
    }
    default:
      return undefined;
  }
}
