import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ConfigError, type ProblemDraft, toProblem } from "./problems";
import type { EnvironmentConfig } from "./schema";

/** Templates are a few kB, the largest known some 30; a ConfigMap holds 1 MiB. */
const MAX_BYTES = 256 * 1024;

/**
 * The chat templates that an environment's models name, by model.
 *
 * @param baseDirectory where relative paths start: the folder of the environment's file.
 * @throws ConfigError with every template that cannot be read.
 */
export async function readChatTemplates(
  environment: EnvironmentConfig,
  baseDirectory: string,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const problems: ProblemDraft[] = [];
  for (const [model, { chatTemplate }] of Object.entries(environment.models)) {
    if (chatTemplate === undefined) {
      continue;
    }
    const read = await readTemplate(resolve(baseDirectory, chatTemplate));
    if (typeof read === "string") {
      texts.set(model, read);
    } else {
      problems.push({ path: ["models", model, "chatTemplate"], value: chatTemplate, ...read });
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => toProblem(problem)));
  }
  return texts;
}

async function readTemplate(path: string): Promise<string | Pick<ProblemDraft, "allowed" | "fix">> {
  const allowed = (reason: string) => `a readable Jinja template: ${reason}`;
  try {
    const info = await stat(path);
    if (!info.isFile()) {
      return { allowed: allowed(`${path} is no plain file`), fix: "give the path of the template itself" };
    }
    if (info.size > MAX_BYTES) {
      return { allowed: allowed(`it is larger than ${MAX_BYTES / 1024} KiB`), fix: "give a chat template" };
    }
    const text = await readFile(path, "utf8");
    return /\p{Cc}/u.test(text.replace(/[\t\r\n]/g, ""))
      ? { allowed: allowed("it is no text"), fix: "give a chat template" }
      : text;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === "ENOENT" || code === "ENOTDIR"
      ? {
          allowed: allowed(`there is no ${path}`),
          fix: "correct the path; it starts at the folder of the environment file",
        }
      : { allowed: allowed(`${path} cannot be opened (${code ?? error})`), fix: "make it readable for this user" };
  }
}
