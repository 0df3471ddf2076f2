import { resolve } from "node:path";
import { ConfigError, type ProblemDraft, toProblem } from "./core/problems";
import { requestedSettings } from "./engine-block";
import type { EnvironmentConfig } from "./schema";
import { readTextFile, UnreadableFileError } from "./text-file";

/** Templates are a few kB, the largest known some 30; a ConfigMap holds 1 MiB. */
const MAX_BYTES = 256 * 1024;

/**
 * The chat templates that an environment's models name, by model.
 *
 * @param baseDirectory where relative paths start: the folder of the environment's file.
 * @throws ConfigError with every template that cannot be read.
 */
export function readChatTemplates(environment: EnvironmentConfig, baseDirectory: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const problems: ProblemDraft[] = [];
  for (const [model, config] of Object.entries(environment.models)) {
    const { chatTemplate } = requestedSettings(config);
    if (chatTemplate === undefined) {
      continue;
    }
    const read = readTemplate(resolve(baseDirectory, chatTemplate));
    if (typeof read === "string") {
      texts.set(model, read);
    } else {
      problems.push({ path: ["models", model, config.engine, "chatTemplate"], value: chatTemplate, ...read });
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => toProblem(problem)));
  }
  return texts;
}

function readTemplate(path: string): string | Pick<ProblemDraft, "allowed" | "fix"> {
  const allowed = (reason: string) => `a readable Jinja template: ${reason}`;
  try {
    const text = readTextFile(path, MAX_BYTES);
    return /\p{Cc}/u.test(text.replace(/[\t\r\n]/g, ""))
      ? { allowed: allowed("it is no text"), fix: "give a chat template" }
      : text;
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) {
      throw error;
    }
    const start = error.isMissing ? "; it starts at the folder of the environment file" : "";
    return { allowed: allowed(`${path} ${error.reason}`), fix: `${error.fix}${start}` };
  }
}
