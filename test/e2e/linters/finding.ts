/** The linters that reviewers run on manifests. */
export const LINTERS = ["kubeconform", "kube-score", "checkov"] as const;
export type Linter = (typeof LINTERS)[number];

/** What one linter says against one rendered object. */
export interface Finding<L extends string = Linter> {
  readonly linter: L;
  /** Identifier of the check, as the linter's own documentation has it. */
  readonly check: string;
  readonly environment: string;
  /** `<Kind> <namespace>/<name>`. */
  readonly object: string;
  /** Path below the environment's folder. */
  readonly file: string;
  /** What is wrong, and where in the object. */
  readonly message: string;
}

/** Findings as text: by check, each with its objects and the files and environments that they stand in. */
export function report(findings: readonly Finding<string>[]): string {
  return grouped(findings, ({ linter, check }) => `${linter} ${check}`)
    .flatMap(([heading, ofCheck]) => [
      `${heading} (${ofCheck.length})`,
      ...grouped(ofCheck, ({ object, file }) => `${object} in ${file}`).flatMap(([place, ofObject]) => [
        `  ${place} (${distinct(ofObject.map(({ environment }) => environment)).join(", ")})`,
        ...distinct(ofObject.map(({ message }) => `    ${message}`)),
      ]),
    ])
    .concat(
      findings.length === 0
        ? []
        : "Mend the component that makes the object, or name an exception with its reason in test/e2e/linters/exceptions.ts.",
    )
    .join("\n");
}

function grouped(
  findings: readonly Finding<string>[],
  keyOf: (finding: Finding<string>) => string,
): (readonly [string, readonly Finding<string>[]])[] {
  return distinct(findings.map(keyOf))
    .sort()
    .map((key) => [key, findings.filter((finding) => keyOf(finding) === key)]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
