/** Small files named by an environment that end up in the cluster. */
import { resolve } from "node:path";
import { ConfigError, type Path, type ProblemDraft, toProblem } from "./core/problems";
import { readTextFile, UnreadableFileError } from "./text-file";

/** Kind of file. */
export interface FileKind {
  /** `a readable Jinja template`. */
  readonly allowed: string;
  readonly maxBytes: number;
  /** Reason and fix for invalid text; `undefined` for valid text. */
  faultOf(text: string): { readonly reason: string; readonly fix: string } | undefined;
}

/** A file and its place in the environment. */
export interface NamedFile {
  /** Key of the result. */
  readonly model: string;
  readonly path: Path;
  readonly file: string;
}

/**
 * @param baseDirectory base of relative paths: the folder of the environment's file.
 * @returns texts by model.
 * @throws ConfigError with every unreadable file.
 */
export function readNamedFiles(
  files: readonly NamedFile[],
  kind: FileKind,
  baseDirectory: string,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const problems: ProblemDraft[] = [];
  for (const { model, path, file } of files) {
    const read = readNamedFile(resolve(baseDirectory, file), kind);
    if (typeof read === "string") {
      texts.set(model, read);
    } else {
      problems.push({ path, value: file, ...read });
    }
  }
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => toProblem(problem)));
  }
  return texts;
}

function readNamedFile(
  path: string,
  { allowed, maxBytes, faultOf }: FileKind,
): string | Pick<ProblemDraft, "allowed" | "fix"> {
  try {
    const text = readTextFile(path, maxBytes);
    const fault = faultOf(text);
    return fault === undefined ? text : { allowed: `${allowed}: ${fault.reason}`, fix: fault.fix };
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) {
      throw error;
    }
    const start = error.isMissing ? "; it starts at the folder of the environment file" : "";
    return { allowed: `${allowed}: ${path} ${error.reason}`, fix: `${error.fix}${start}` };
  }
}
