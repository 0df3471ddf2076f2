import { dirname } from "node:path";
import { z } from "zod";
import { lintJson } from "./run-linter";

const answerSchema = z.object({
  comments: z.array(z.object({ line: z.number(), code: z.number(), level: z.string(), message: z.string() })),
});

export type ShellComment = z.infer<typeof answerSchema>["comments"][number];

/** Everything that shellcheck says of a script, notes on style included. */
export async function shellcheck(path: string): Promise<readonly ShellComment[]> {
  const options = ["--norc", "--severity=style", "--format=json1"];
  return answerSchema.parse(await lintJson("shellcheck", [...options, path], dirname(path))).comments;
}
