/** Command lines of servers as lists of words, in pods and compose files. */
import { type Path, rowOf } from "./path";

/** One word, and where it stands. */
export interface Word {
  readonly text: string;
  readonly at: Path;
}

/** A flag with its values, or a word that belongs to none. */
export interface Flag {
  /** Without dashes, with dashes inside. Empty for words before the first flag. */
  readonly name: string;
  readonly values: readonly string[];
  readonly at: Path;
  /** Where its values stand, of those in places of their own. @default at */
  readonly valuesAt?: readonly Path[];
}

/** Name of the entry of a word that starts a program. */
export const STARTER = "program";

/** Words of programs that start a server, which say nothing about it. */
const STARTERS = new Set([
  "vllm",
  "serve",
  "python",
  "python3",
  "-m",
  "vllm.entrypoints.openai.api_server",
  "exec",
  "sh",
  "bash",
  "/bin/sh",
  "/bin/bash",
  "-c",
  "-lc",
  "-ec",
  "text-generation-launcher",
  "ollama",
]);

/** `$(NAME)`, as Kubernetes writes it, `${NAME}` and `$NAME`, as shells and compose files do; `${NAME:-otherwise}`. */
const REFERENCE = /\$\(([\w-]+)\)|\$\{(\w+)(?:(:?)([-?+])([^}]*))?\}|\$([A-Za-z_]\w*)/g;

/**
 * Text with the variables that are known, and what the text has for those that are not; others stay as they are.
 *
 * @param isLeft names whose references stay.
 */
export function substituted(
  text: string,
  variables: Readonly<Record<string, string>>,
  isLeft: (name: string) => boolean = () => false,
): string {
  return text.replace(
    REFERENCE,
    (whole, kubernetes?: string, braced?: string, colon?: string, sign?: string, word?: string, bare?: string) => {
      const name = kubernetes ?? braced ?? bare ?? "";
      if (isLeft(name)) {
        return whole;
      }
      const value = rowOf(variables, name);
      const isSet = value !== undefined && !(colon === ":" && value === "");
      return sign === "+" ? (isSet ? (word ?? "") : "") : isSet ? value : sign === "-" ? (word ?? "") : whole;
    },
  );
}

/** Names of the variables that a text refers to. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].map(([, kubernetes, braced, , , , bare]) => kubernetes ?? braced ?? bare ?? "");
}

/** Whether a text still refers to a variable that no file sets, or to values of a template. */
export function isOpen(text: string): boolean {
  return text.search(REFERENCE) !== -1 || text.includes("{{");
}

/** The words of a list of texts, of which some may be whole command lines. */
export function wordsOf(texts: readonly unknown[], at: Path): Word[] {
  return texts.flatMap((text, index) => {
    const place = [...at, index];
    if (typeof text !== "string" && typeof text !== "number") {
      return [];
    }
    return isCommandLine(String(text)) ? shellWords(String(text), place) : [{ text: String(text), at: place }];
  });
}

/** Whether one text holds several words: `vllm serve org/model --flag`, or flags with their values. */
function isCommandLine(text: string): boolean {
  return (
    /^--?[\w-]+(\s|=\S+\s+--?[\w-])/.test(text) ||
    /(^|\s)(vllm\s+serve|exec|python3?|text-generation-launcher|ollama)\s/.test(text)
  );
}

/** What starts a server among the commands of a script. */
const SERVER = /(?:^|\s)(?:vllm\s+serve|python3?\s+-m\s+\S+|text-generation-launcher|tritonserver)(?=\s)/g;

/** Where the server's command begins in a script of several commands; undefined for a single command. */
export function serverInScript(text: string): number | undefined {
  const isScript = /\S\s*(\n|&&|;)\s*\S/.test(text.replace(/\\\r?\n/g, " ")) && !/^\s*-/.test(text);
  const index = isScript ? [...text.matchAll(SERVER)].pop()?.index : undefined;
  return index === 0 ? undefined : index;
}

/** One command of a script: up to an operator or a redirection, or to a line that continues nothing. */
const COMMAND = /^(?:"(?:\\.|[^"\\])*"|'[^']*'|\n(?=\s*(?:-|$))|(?!\s\d?>)[^"'\n;|&])*/;

/** Words of a shell command, without its operators; of a script those of its last server. */
export function shellWords(text: string, at: Path): Word[] {
  const plain = text
    .slice(serverInScript(text) ?? 0)
    .replace(/\\\r?\n/g, " ")
    .replace(/^\s*#.*$/gm, "");
  const server = plain.search(SERVER);
  const own = server < 0 ? plain : `${plain.slice(0, server)} ${COMMAND.exec(plain.slice(server).trimStart())?.[0]}`;
  const found = own.match(/(?:\$\{[^}]{0,256}\}|[^\s"']|"(?:\\.|[^"\\])*"|'[^']*')+/g) ?? [];
  return found
    .filter((word) => !["&&", "||", ";", "|", "\\"].includes(word))
    .map((word) => ({
      text: word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, a?: string, b?: string) => a ?? b ?? ""),
      at,
    }));
}

/** Flags of a command line; the first entry has the words before them. */
export function flagsOf(words: readonly Word[]): Flag[] {
  const flags: { name: string; values: string[]; at: Path; valuesAt: Path[] }[] = [];
  for (const { text, at } of words) {
    const [, name, value] = /^--?([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    if (name !== undefined && !STARTERS.has(text)) {
      flags.push({ name: dashed(name), values: value === undefined ? [] : [value], at, valuesAt: [] });
    } else if (STARTERS.has(text)) {
      flags.push({ name: STARTER, values: [], at, valuesAt: [] });
    } else if (flags.length > 0 && flags[flags.length - 1]?.name !== STARTER) {
      flags[flags.length - 1]?.values.push(text);
      flags[flags.length - 1]?.valuesAt.push(at);
    } else {
      flags.push({ name: "", values: [text], at, valuesAt: [] });
    }
  }
  return flags;
}

/** vLLM takes underscores for dashes; what follows a dot is a key of JSON. */
function dashed(name: string): string {
  return rowOf(SHORT_FLAGS, name) ?? name.replaceAll("_", "-");
}

const SHORT_FLAGS: Readonly<Record<string, string>> = {
  tp: "tensor-parallel-size",
  pp: "pipeline-parallel-size",
  dp: "data-parallel-size",
  ep: "enable-expert-parallel",
  q: "quantization",
};
