import { join } from "node:path";
import { z } from "zod";
import { describeObject } from "../../../kubernetes/object";
import type { Finding } from "./finding";
import { fileAt, type LintedFolder } from "./linted-folder";
import { lintJson } from "./run-linter";

const answerSchema = z.object({
  resources: z.array(
    z.object({
      filename: z.string(),
      status: z.string(),
      msg: z.string(),
    }),
  ),
  summary: z.object({ valid: z.number() }),
});

/**
 * Every object that is not valid by its schema in `schemas` (a folder of `writeSchemas`), or that has none. `-strict`:
 * a key that stands twice is an error, too.
 */
export async function kubeconform(linted: LintedFolder, schemas: string): Promise<Finding[]> {
  const location = join(schemas, "{{.Group}}", "{{.ResourceKind}}_{{.ResourceAPIVersion}}.json");
  const options = ["-strict", "-output", "json", "-summary", "-schema-location", location];
  const paths = linted.files.map(({ path }) => path);
  const answer = await lintJson("kubeconform", [...options, ...paths], linted.folder);
  const { resources, summary } = answerSchema.parse(answer);
  if (summary.valid + resources.length !== paths.length) {
    throw new Error(`kubeconform judged ${summary.valid + resources.length} of ${paths.length} objects`);
  }
  return resources.map(({ filename, status, msg }) => {
    const { path, object } = fileAt(linted, filename);
    // "… - at '/spec': validation failed - at '/spec': additional properties 'replica' not allowed"
    const [preamble = "", ...errors] = msg.split(/\s+- (?=at ')/);
    return {
      linter: "kubeconform",
      check: status === "statusInvalid" ? "schema" : status,
      environment: linted.environment,
      object: describeObject(object),
      file: path,
      message: errors.length > 0 ? errors.join("; ") : preamble,
    };
  });
}
