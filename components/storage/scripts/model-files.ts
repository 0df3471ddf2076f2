/** Which files of a repository an engine needs, and how copies are described in the bucket. */
import { FinalError } from "./retry.ts";

/** Object that is written last: where it exists, the copy is complete. */
export const MANIFEST = ".manifest.json";

/** Object that is there while files are copied: every path below the prefix that a sync ever wrote, or may have. */
export const JOURNAL = ".sync.json";

export interface Journal {
  readonly paths: readonly string[];
}

export interface ManifestFile {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly repository: string;
  readonly commit: string;
  readonly files: readonly ManifestFile[];
}

/** Control characters end a line of a log or a header. */
const UNSAFE_CHARACTERS = /[\\%\p{Cc}]/u;

/**
 * Whether a path stays below the prefix, and below the folder, that it is joined to, however a server or a client reads
 * it: relative, no empty, `.` or `..` segment, nothing encoded.
 */
export function isSafePath(path: string): boolean {
  return !UNSAFE_CHARACTERS.test(path) && path.split("/").every((part) => !["", ".", ".."].includes(part));
}

/** @throws FinalError naming the paths that would leave their place. */
export function refuseUnsafePaths(where: string, paths: readonly string[]): void {
  const unsafe = paths.filter((path) => !isSafePath(path));
  if (unsafe.length > 0) {
    throw new FinalError(
      `${where} names files outside of itself: ${unsafe.map((path) => JSON.stringify(path)).join(", ")}. ` +
        'Paths are relative, without "..", "." or empty parts, backslashes and "%"',
    );
  }
}

/** Forms in which weights are published, best first. Only one of them is copied. */
const WEIGHT_FORMS = [
  { index: "model.safetensors.index.json", single: "model.safetensors", any: /^[^/]+\.safetensors$/ },
  { index: "pytorch_model.bin.index.json", single: "pytorch_model.bin", any: /^pytorch_model[^/]*\.bin$/ },
] as const;

/** Tokenizer, configuration and templates; licences, because the copy is a redistribution. */
const ACCESSORIES = /(\.(json|txt|model|tiktoken|jinja)|(^|\/)(LICENSE|NOTICE|USE_POLICY)[^/]*)$/i;
/** Modules of sentence-transformers (`1_Pooling/`, `2_Dense/`) carry small weights of their own. */
const MODULE_WEIGHTS = /^\d+_[^/]+\/[^/]+\.(safetensors|bin)$/;
/** The same weights again, for other runtimes. */
const OTHER_RUNTIMES = /^(original|onnx|openvino|coreml|tf|flax|metal|gguf)\//;

export interface WeightForm {
  /** Index file that lists the shards; `undefined` when `files` says it all. */
  readonly index: string | undefined;
  readonly files: readonly string[];
  readonly safetensors: boolean;
}

/**
 * The best form of weights that a repository offers.
 * @throws FinalError when it offers none that an engine loads.
 */
export function weightForm(paths: readonly string[]): WeightForm {
  for (const form of WEIGHT_FORMS) {
    const safetensors = form.single.endsWith(".safetensors");
    if (paths.includes(form.index)) {
      return { index: form.index, files: [], safetensors };
    }
    if (paths.includes(form.single)) {
      return { index: undefined, files: [form.single], safetensors };
    }
    const loose = paths.filter((path) => form.any.test(path));
    if (loose.length > 0) {
      return { index: undefined, files: loose, safetensors };
    }
  }
  throw new FinalError(`the repository has no safetensors or PyTorch weights, only: ${paths.slice(0, 20).join(", ")}`);
}

/** Shards that an index names, sorted. @throws FinalError when it is no weight index. */
export function shardsOf(indexPath: string, text: string): string[] {
  const { weight_map: map } = JSON.parse(text) as { weight_map?: Record<string, string> };
  const shards = [...new Set(Object.values(map ?? {}))].sort();
  if (shards.length === 0) {
    throw new FinalError(`${indexPath} has no "weight_map"`);
  }
  return shards;
}

/** Code that transformers imports for `--trust-remote-code`: modules of one folder, the repository's own. */
const CODE = /^[^/]+\.py$/;

/**
 * Paths to copy: the weights, and what an engine reads in addition.
 * @param withCode copy Python code too, for engines that may run it. @default it stays behind
 * @throws FinalError naming each weight file that the repository lacks, and each path that would leave the prefix; where
 * code is wanted and there is none.
 */
export function filesToCopy(
  paths: readonly string[],
  form: WeightForm,
  weights: readonly string[],
  withCode = false,
): string[] {
  const missing = weights.filter((path) => !paths.includes(path));
  if (missing.length > 0) {
    throw new FinalError(
      `${form.index ?? "the repository"} names files that the repository lacks: ${missing.join(", ")}`,
    );
  }
  const otherIndexes = WEIGHT_FORMS.map((f) => f.index as string).filter((index) => index !== form.index);
  const beside = paths.filter(
    (path) =>
      !OTHER_RUNTIMES.test(path) &&
      !otherIndexes.includes(path) &&
      path !== MANIFEST &&
      path !== JOURNAL &&
      (ACCESSORIES.test(path) || MODULE_WEIGHTS.test(path) || (withCode && CODE.test(path))),
  );
  if (withCode && !beside.some((path) => CODE.test(path))) {
    throw new FinalError(
      "args.trust-remote-code is set, and the repository has no Python file: remove the flag. In a bundle: make it again, it was made without the flag",
    );
  }
  const wanted = [...new Set([...weights, ...beside])].sort();
  refuseUnsafePaths("the repository", wanted);
  return wanted;
}
