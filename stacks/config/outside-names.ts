/** References in flag values to things outside an engine's offline pod. */
import { engineNames } from "../../engines";
import { MODEL_FOLDER, OTHER_FOLDERS } from "../../names/pod-folders";
import type { ArgumentValue } from "../../planner/types";

export interface OutsideName {
  readonly text: string;
  readonly what: string;
  readonly isAddress?: true;
}

/** Flags and keys that name models or their files, also without a slash. */
const NAMES_FILES = /(^|[-_])(model|tokenizer|generation-config|repo|repo_id)$/;
/** Values that name none; an engine's name means its defaults. */
const WORDS = new Set<string>(["auto", "ngram", "ngram_gpu", ...engineNames]);

const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
/** The pod itself. */
const OWN_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/(localhost|127(\.\d+){3}|\[::1?\]|0\.0\.0\.0|\*)(?=[:/?#]|$)/i;
const OF_FILES = /^file:\/\//i;
/** `org/name`, a repository or relative path; a letter in each part, unlike 1/2. */
const REPOSITORY = /^(?=[^/]*[a-z])[\w.-]+(\/(?=[^/]*[a-z])[\w.@-]+)+\/?$/i;

/** Keys whose text an engine imports, by its config classes at the pinned release (2026-11-28). */
const NAMES_CODE = /^(inductor_passes|kv_connector_module_path)$/;

/** In the value's order. @param name of the flag or variable. */
export function outsideNames(name: string, value: ArgumentValue): OutsideName[] {
  return [
    ...codeIn(name, parsed(value)),
    ...textsIn(name, parsed(value)).flatMap(({ key, text }) =>
      wordsOf(text).flatMap((word) => nameOf(key, word) ?? []),
    ),
  ];
}

interface Text {
  /** Its flag or key. */
  readonly key: string;
  readonly text: string;
}

function textsIn(key: string, value: unknown): Text[] {
  if (typeof value === "string") {
    return [{ key, text: value }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item) => textsIn(key, item));
  }
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, child]) => textsIn(name, child))
    : [];
}

/** A compilation backend with dots is a module; `eager` and the like are PyTorch's. */
function codeIn(key: string, value: unknown): OutsideName[] {
  const names = (text: unknown): OutsideName[] =>
    typeof text === "string" ? [{ text, what: "code that the engine would import" }] : [];
  if (NAMES_CODE.test(key)) {
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(names) : names(value);
  }
  if (key === "backend" && String(value).includes(".")) {
    return names(value);
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, child]) => codeIn(name, child))
    : [];
}

/** JSON may be text. */
function parsed(value: ArgumentValue): unknown {
  try {
    return typeof value === "string" && /^\s*[[{]/.test(value) ? JSON.parse(value) : value;
  } catch {
    return value;
  }
}

/** Several in one text: `a/b,c/d`, `plugins=/opt/x`. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,;="'`[\](){}]+/).filter((word) => word !== "");
}

function nameOf(key: string, word: string): OutsideName | undefined {
  const path = word.replace(OF_FILES, "");
  if (path.startsWith("/") || path.startsWith("~") || /^\.{1,2}\//.test(path)) {
    return /^[\w./~+-]+$/.test(path) && !isInPod(path)
      ? { text: word, what: `a path outside of ${MODEL_FOLDER}, the model's folder` }
      : undefined;
  }
  if (ADDRESS.test(word)) {
    return OWN_ADDRESS.test(word)
      ? undefined
      : { text: word, what: "an address, which the pod cannot reach", isAddress: true };
  }
  if (REPOSITORY.test(word)) {
    return { text: word, what: "a repository or a relative path, and nothing is fetched at start" };
  }
  return NAMES_FILES.test(key) && !WORDS.has(word)
    ? { text: word, what: "a name that would be looked up at Hugging Face, and nothing is fetched at start" }
    : undefined;
}

function isInPod(path: string): boolean {
  return (
    !path.split("/").includes("..") &&
    [MODEL_FOLDER, ...OTHER_FOLDERS].some((folder) => path === folder || path.startsWith(`${folder}/`))
  );
}
