/** Sources of weights in notations of other platforms: what takes their place. */
import { sourceForms, splitSource } from "../../engines/sources";
import type { Path, ProblemDraft } from "./core/problems";
import { valueAt } from "./core/problems";
import { OWN_WEIGHTS_PAGE } from "./own-weights-page";

interface Notation {
  readonly pattern: RegExp;
  readonly fix: (...parts: string[]) => string;
}

const COPY = "copy the files to a bucket (s3://bucket/prefix) or a volume (pvc://claim/path), and name that";

/** The first match counts. */
const NOTATIONS: readonly Notation[] = [
  {
    // Google serves S3's API with HMAC keys (Cloud Storage, "Simple migration from Amazon S3", read 2026-12-01).
    pattern: /^gc?s:\/\/([^/]+)\/*(.*)$/,
    fix: (bucket = "", prefix = "") =>
      `add storage.buckets.${bucket}: {url: https://storage.googleapis.com, region: auto, secretKey: …} with an HMAC key, and write s3://${bucket}/${prefix || "my-model"}`,
  },
  {
    pattern:
      /^(?:https?:\/\/)?(?:huggingface\.co|hf\.co)\/([^/?#]+\/[^/?#]+)(?:\/(?:tree|blob|resolve)\/([^/?#]+).*)?\/?$/,
    fix: (repository = "", revision = "") => `write hf://${repository}${revision === "" ? "" : `@${revision}`}`,
  },
  {
    pattern: /^ngc:\/\/(.+)$/,
    fix: (model = "") =>
      `run ngc registry model download-version ${model}, copy its folder to a bucket (s3://bucket/prefix) or a volume (pvc://claim/path), and name that`,
  },
  { pattern: /^https?:\/\//, fix: () => COPY },
  { pattern: /^(?:docker|image):\/\/(.+)$/, fix: (reference = "") => `write oci://${reference}` },
  { pattern: /^(?:host-?path|folder):\/{2,}(.+)$/i, fix: (path = "") => `write file:///${path}` },
  { pattern: /^(\/.+)$/, fix: (path = "") => `write file://${path}, a folder of the node, or pvc://claim/path` },
  { pattern: /^([\w.-]+\/[\w.-]+)$/, fix: (repository = "") => `write hf://${repository}` },
  { pattern: /^[a-z][a-z0-9+.-]*:\/\//i, fix: () => COPY },
];

export function sourceMistake(path: Path, input: unknown): ProblemDraft | undefined {
  const value = valueAt(input, path);
  // In a known scheme, the mistake is in what follows.
  if (path[0] !== "models" || path.at(-1) !== "source" || typeof value !== "string" || splitSource(value)) {
    return undefined;
  }
  for (const { pattern, fix } of NOTATIONS) {
    const [found, ...parts] = pattern.exec(value) ?? [];
    if (found !== undefined) {
      return { path, value, allowed: sourceForms, fix: `${fix(...parts)} (${OWN_WEIGHTS_PAGE})` };
    }
  }
  return undefined;
}
