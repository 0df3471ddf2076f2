import { z } from "zod";
import { describeObject } from "../../../kubernetes/object";
import type { Finding } from "./finding";
import { fileAt, type LintedFolder } from "./linted-folder";
import { lintJson } from "./run-linter";

/** Grade of a check that an object passes; the lower ones are "almost", "warning" and "critical". */
const PASSED = 10;

const scoresSchema = z.array(
  z.object({
    file_name: z.string(),
    checks: z.array(
      z.object({
        check: z.object({ id: z.string() }),
        grade: z.number(),
        skipped: z.boolean(),
        comments: z
          .array(z.object({ path: z.string(), summary: z.string(), description: z.string() }))
          .nullable()
          .transform((comments) => comments ?? []),
      }),
    ),
  }),
);

/** Everything that kube-score's default checks say, warnings included. It sees all objects of the environment at once. */
export async function kubeScore(linted: LintedFolder): Promise<Finding[]> {
  const options = ["--output-format", "json", "--kubernetes-version", "v1.33"];
  const paths = linted.files.map(({ path }) => path);
  const scores = scoresSchema.parse(await lintJson("kube-score", ["score", ...options, ...paths], linted.folder));
  return scores.flatMap(({ file_name, checks }) => {
    const { path, object } = fileAt(linted, file_name);
    return checks
      .filter(({ grade, skipped }) => grade < PASSED && !skipped)
      .map(({ check, comments }) => ({
        linter: "kube-score" as const,
        check: check.id,
        environment: linted.environment,
        object: describeObject(object),
        file: path,
        message: comments
          .map((comment) => [comment.path, comment.summary, comment.description].filter((text) => text !== ""))
          .map((texts) => texts.join("; "))
          .join(" | "),
      }));
  });
}
