/** Plaintext credentials anywhere: environment files are committed, and their values rendered. */
import { HIDDEN, isToken } from "./core/credentials";
import type { Path, ProblemDraft } from "./core/problems";
import { secretKeys } from "./secrets";

/** Never shows the texts. */
export function plainTokens(values: Readonly<Record<string, unknown>>): ProblemDraft[] {
  return textsIn(values).flatMap(([path, text]) =>
    isToken(text)
      ? [
          {
            path,
            value: HIDDEN,
            allowed: "text without credentials: this file is committed, and its values are rendered",
            fix: `take it out and treat it as leaked; secrets have keys of their own: ${secretKeys.join(", ")}`,
          },
        ]
      : [],
  );
}

function textsIn(value: unknown, path: Path = []): (readonly [Path, string])[] {
  if (typeof value === "string") {
    return [[path, value]];
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, child]) =>
        textsIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : [];
}
