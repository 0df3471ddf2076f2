/** Weight sources: notation, host, and whether they use the model store. */
import type { ArtifactSource, ModelSource, StoredSource } from "./served-model";

export type SourceKind = ModelSource["kind"];

export interface SourceFacts {
  /** Before `://` in `models.<name>.source`. */
  readonly scheme: string;
  /** Full notation, for messages. */
  readonly form: string;
  /** Regular expression for the part after the scheme. */
  readonly pattern: string;
  /** Display name of the host. */
  readonly label: string;
  /** Same for one model, as a word with its name. */
  readonly place: string;
  /** Engines read it from the environment's model store; otherwise they fetch it themselves. */
  readonly throughStore: boolean;
  /** Internet hosts of a download; `*.` before a name includes its subdomains. @default none */
  readonly hosts?: readonly string[];
  /** @default immutable by others */
  readonly moves?: Moves;
}

/** Sources that others can change under the same name. */
export interface Moves {
  /** Consequence of a change. */
  readonly effect: string;
  /** Notation of a fixed revision. */
  readonly fixed: string;
  /** What fixes it, which `npm run pin` can write. @default it cannot */
  readonly pinnedBy?: "commit" | "digest";
}

/**
 * A path segment. Excludes wildcards and variables of store policies (`*`, `?`, `${…}`), and `.`
 * and `..`: paths become part of policies, URLs and folder names.
 */
const PART = /(?!\.{1,2}(?:[/@]|$))[\w.-]+/.source;

/** A registry: a DNS name with a dot, and its port (Docker's reference grammar: a host without one would be a path). */
export const REGISTRY_HOST =
  /[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[1-9][0-9]{0,4})?/.source;
/** A part of a repository in a registry (OCI distribution specification, "Pulling manifests"). */
const REPOSITORY_PART = /[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*/.source;
const TAG = /\w[\w.-]{0,127}/.source;

/** Name of a claim: a DNS label. */
const CLAIM = /[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?/.source;

/** Registry of names without a host. Includes names that an engine has only locally. */
export const DEFAULT_REGISTRY = "registry.ollama.ai";

/** By the kind in plans and JSON. */
export const SOURCES: Readonly<Record<SourceKind, SourceFacts>> = {
  huggingface: {
    scheme: "hf",
    form: "hf://org/name[@revision]",
    pattern: `${PART}/${PART}(@${PART}(/${PART})*)?`,
    label: "Hugging Face",
    place: "Hugging Face",
    throughStore: true,
    // The hub, and the stores to which it redirects (huggingface.co/docs, 2026-11-23).
    hosts: ["huggingface.co", "*.huggingface.co", "*.hf.co"],
    moves: {
      effect: "a push to the repository would change what runs",
      fixed: "hf://org/name@ and the 40 hexadecimal digits of a commit",
      pinnedBy: "commit",
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
  folder: {
    scheme: "file",
    form: "file:///folder",
    pattern: `(/${PART})+/*`,
    label: "folders of nodes",
    place: "folder of the node",
    throughStore: false,
  },
  artifact: {
    scheme: "oci",
    form: "oci://registry/repository:tag[@sha256:digest]",
    pattern: `${REGISTRY_HOST}(/${REPOSITORY_PART})+(:${TAG}(@sha256:[0-9a-f]{64})?|@sha256:[0-9a-f]{64})`,
    label: "OCI registries",
    place: "registry",
    throughStore: true,
    moves: {
      effect: "a push to the repository would change what runs",
      fixed: "oci://registry/repository:tag@sha256: and the 64 hexadecimal digits of a digest",
      pinnedBy: "digest",
    },
  },
  ollama: {
    scheme: "ollama",
    form: "ollama://tag",
    pattern: "[\\w.-]+(/[\\w.-]+)*(:[\\w.-]+)?",
    label: "the Ollama registry",
    place: "Ollama registry",
    throughStore: false,
    // Downloads redirect to a Cloudflare store (ollama/ollama#4307, read 2026-11-23).
    hosts: [DEFAULT_REGISTRY, "*.r2.cloudflarestorage.com"],
    moves: {
      effect: "the registry moves it to newer builds, and a new replica would run another model",
      fixed: "ollama://name:tag with a tag that names size and format",
    },
  },
};

export type ClaimSource = Extract<ModelSource, { readonly kind: "claim" }>;

export function isClaim(source: ModelSource): source is ClaimSource {
  return source.kind === "claim";
}

export type FolderSource = Extract<ModelSource, { readonly kind: "folder" }>;

export function isFolder(source: ModelSource): source is FolderSource {
  return source.kind === "folder";
}

/** Kubelets pull it for pods, which mount its files. */
export function isImageVolume(source: ModelSource): source is ArtifactSource & { readonly mounted: true } {
  return source.kind === "artifact" && source.mounted === true;
}

/** Pods mount files of the user's, and fetch nothing. */
export function isMounted(source: ModelSource): boolean {
  return isClaim(source) || isFolder(source) || isImageVolume(source);
}

export const sourceKinds = Object.keys(SOURCES) as readonly SourceKind[];

/** Kinds of adapters. */
export const storedKinds = ["huggingface", "bucket"] as const satisfies readonly SourceKind[];

export function isStored(source: ModelSource): source is StoredSource {
  return storedKinds.some((kind) => kind === source.kind);
}

export function sourcePatternOf(kinds: readonly SourceKind[]): RegExp {
  return new RegExp(`^(${kinds.map((kind) => `${SOURCES[kind].scheme}://${SOURCES[kind].pattern}`).join("|")})$`);
}

/** `hf://org/name[@revision], s3://bucket/prefix or ollama://tag`. */
export function sourceFormsOf(kinds: readonly SourceKind[]): string {
  return either(kinds.map((kind) => SOURCES[kind].form));
}

export const sourcePattern = sourcePatternOf(sourceKinds);
export const sourceForms = sourceFormsOf(sourceKinds);

export interface Origin {
  /** Repository, bucket with prefix, or tag. */
  readonly name: string;
  /** Whose that is. */
  readonly place: string;
  /** Commit, branch or tag, if the source has them. */
  readonly revision?: string;
}

export function originOf(source: ModelSource): Origin {
  const { place } = SOURCES[source.kind];
  switch (source.kind) {
    case "huggingface":
      return { name: source.repository, place, revision: source.revision };
    case "bucket":
      return { name: source.uri, place };
    case "artifact": {
      const { registry, repository, tag, digest } = source;
      const name = `${registry}/${repository}${tag ? `:${tag}` : ""}`;
      return { name, place, ...(digest && { revision: digest }) };
    }
    case "claim":
      return { name: sourceText("claim", [source.claim, source.path].filter((part) => part !== "").join("/")), place };
    case "folder":
      return { name: sourceText("folder", source.path), place };
    case "ollama":
      return { name: source.tag, place };
  }
}

/** A full commit hash: branches and tags can move. */
export const COMMIT = /^[0-9a-f]{40}$/;

/** Commit of a source; undefined for branches, tags, and sources without commits. */
export function commitOf(source: ModelSource | undefined): string | undefined {
  return source?.kind === "huggingface" && COMMIT.test(source.revision) ? source.revision : undefined;
}

/**
 * The part of a source that others can move: branch or tag of a repository, latest build of a
 * registry.
 */
export function movingPart(source: ModelSource): string | undefined {
  switch (source.kind) {
    case "huggingface":
      return commitOf(source) === undefined ? `@${source.revision}` : undefined;
    case "ollama": {
      // No commits. Other tags name a size and format, and are accepted.
      const [, tag = "latest"] = /:([^:/]+)$/.exec(source.tag) ?? [];
      return tag === "latest" ? ":latest" : undefined;
    }
    case "artifact":
      return source.digest === undefined ? `:${source.tag}` : undefined;
    case "bucket":
    case "claim":
    case "folder":
      return undefined;
  }
}

/** `a`, `a or b`, `a, b or c`. */
function either(words: readonly string[]): string {
  const [last = "", ...others] = [...words].reverse();
  return others.length === 0 ? last : `${others.reverse().join(", ")} or ${last}`;
}

/** Scheme and name of `hf://org/name`; undefined for an unknown scheme. */
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

/** A configured source as in the plan; undefined for an unknown scheme. */
export function parseSource(text: string): ModelSource | undefined {
  const { kind, name = "" } = splitSource(text) ?? {};
  switch (kind) {
    case "bucket":
      return { kind, uri: text };
    case "claim": {
      const [claim = "", ...path] = name.replace(/\/+$/, "").split("/");
      return { kind, claim, path: path.join("/") };
    }
    case "folder":
      return { kind, path: name.replace(/\/+$/, "") };
    case "ollama":
      return { kind, tag: name };
    case "artifact":
      return artifactOf(name);
    case "huggingface": {
      const [repository = name, revision = "main"] = name.split("@");
      return { kind, repository, revision };
    }
    default:
      return undefined;
  }
}

/** `registry.example.com/team/model:tag@sha256:…` */
function artifactOf(name: string): ArtifactSource {
  const [, registry = "", repository = "", tag, digest] = /^([^/]+)\/([^:@]+)(?::([^@]+))?(?:@(.+))?$/.exec(name) ?? [];
  return { kind: "artifact", registry, repository, ...(tag && { tag }), ...(digest && { digest }) };
}

/** Source of an artifact, as it is written. */
export function artifactText({ registry, repository, tag, digest }: Omit<ArtifactSource, "kind">): string {
  const name = `${registry}/${repository}${tag ? `:${tag}` : ""}${digest ? `@${digest}` : ""}`;
  return sourceText("artifact", name);
}
