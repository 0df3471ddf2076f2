import type { ModelSource } from "../planner/types";

/** Where a model comes from, in a word: its repository with a commit's first digits, its bucket or its tag. */
export function sourceName(source: ModelSource): string {
  switch (source.kind) {
    case "huggingface":
      return source.revision === "main" ? source.repository : `${source.repository}@${source.revision.slice(0, 12)}`;
    case "bucket":
      return source.uri;
    case "ollama":
      return source.tag;
  }
}
