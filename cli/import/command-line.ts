/** Servers' command lines as words, in pods and compose files. */
import { type Path, rowOf } from "./path";
import { plainText } from "./plain-text";

export interface Word {
  readonly text: string;
  readonly at: Path;
}

/** A flag with its values, or a word that belongs to none. */
export interface Flag {
  /** Without leading dashes; empty for words before the first flag. */
  readonly name: string;
  readonly values: readonly string[];
  readonly at: Path;
  /** Paths of values apart from the flag. @default at */
  readonly valuesAt?: readonly Path[];
}

export const STARTER = "program";

/** Words that start a server and carry no setting. */
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

/** `$(NAME)` of Kubernetes, `${NAME}`, `$NAME` and `${NAME:-otherwise}` of shells and Compose. */
const REFERENCE = /\$\(([\w-]+)\)|\$\{(\w+)(?:(:?)([-?+])([^}]*))?\}|\$([A-Za-z_]\w*)/g;

/**
 * Replaces known variables and defaults; others stay.
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

export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].map(([, kubernetes, braced, , , , bare]) => kubernetes ?? braced ?? bare ?? "");
}

/** Whether a variable is unset, or a template's value remains. */
export function isOpen(text: string): boolean {
  return text.search(REFERENCE) !== -1 || text.includes("{{");
}

/** Words of texts, some of which may be whole command lines. */
export function wordsOf(texts: readonly unknown[], at: Path): Word[] {
  return texts.flatMap((text, index) => {
    const place = [...at, index];
    if (typeof text !== "string" && typeof text !== "number") {
      return [];
    }
    return isCommandLine(plainText(text)) ? shellWords(plainText(text), place) : [{ text: plainText(text), at: place }];
  });
}

/** `vllm serve org/model --flag`, or flags with values. */
function isCommandLine(text: string): boolean {
  return (
    /^--?[\w-]+(\s|=\S+\s+--?[\w-])/.test(text) ||
    /(^|\s)(vllm\s+serve|exec|python3?|text-generation-launcher|ollama)\s/.test(text)
  );
}

const SERVER = /(?:^|\s)(?:vllm\s+serve|python3?\s+-m\s+\S+|text-generation-launcher|tritonserver)(?=\s)/g;

/** Undefined for a single command. */
export function serverInScript(text: string): number | undefined {
  const isScript = /\S\s*(\n|&&|;)\s*\S/.test(text.replace(/\\\r?\n/g, " ")) && !/^\s*-/.test(text);
  const index = isScript ? [...text.matchAll(SERVER)].pop()?.index : undefined;
  return index === 0 ? undefined : index;
}

/** Ends at an operator, a redirection or a line that continues nothing. */
const COMMAND = /^(?:"(?:\\.|[^"\\])*"|'[^']*'|\n(?=\s*(?:-|$))|(?!\s\d?>)[^"'\n;|&])*/;

/** Without operators; of a script, its last server's. */
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

/** The first entry has the words before all flags. */
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

/** vLLM accepts underscores as dashes; after a dot follows a JSON key. */
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
