import { z } from "zod";
import { describeObject } from "../../../kubernetes/object";
import type { Finding } from "./finding";
import { fileAt, type LintedFolder } from "./linted-folder";
import { lintJson } from "./run-linter";

const resultsSchema = z.object({
  results: z.object({
    failed_checks: z.array(
      z.object({
        check_id: z.string(),
        check_name: z.string(),
        check_result: z.object({ evaluated_keys: z.array(z.string()).default([]) }),
        file_path: z.string(),
      }),
    ),
  }),
  summary: z.object({ parsing_errors: z.number() }),
});

/** Everything that checkov's checks for Kubernetes say. `--skip-download`: it asks no server. */
export async function checkov(linted: LintedFolder): Promise<Finding[]> {
  const options = ["--framework", "kubernetes", "--skip-download", "--quiet", "--compact", "--output", "json"];
  const { results, summary } = resultsSchema.parse(
    await lintJson("checkov", ["--directory", ".", ...options], linted.folder),
  );
  if (summary.parsing_errors > 0) {
    throw new Error(`checkov cannot read ${summary.parsing_errors} files`);
  }
  return results.failed_checks.map(({ check_id, check_name, check_result, file_path }) => {
    const { path, object } = fileAt(linted, file_path);
    return {
      linter: "checkov",
      check: check_id,
      environment: linted.environment,
      object: describeObject(object),
      file: path,
      message: [check_name, ...check_result.evaluated_keys].join("; "),
    };
  });
}
