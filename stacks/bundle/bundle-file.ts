import { z } from "zod";

/** Written last, so its presence means that the bundle is complete. */
export const BUNDLE_FILE = "bundle.json";

/** The list for `sha256sum -c`, on machines without this program and Node. */
export const SUMS_FILE = "SHA256SUMS";

export const BUNDLE_FOLDERS = { k3s: "k3s", images: "images", charts: "charts", models: "models" } as const;

const text = z.string().min(1);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const bytes = z.int().nonnegative();

/** Below the folder, with `/`. */
const path = z
  .string()
  .regex(/^[^/\\\p{Cc}]+(\/[^/\\\p{Cc}]+)*$/u)
  .refine((value) => !value.split("/").includes(".."));

const file = z.object({ path, bytes, sha256 });

/** "unknown" where not stated. */
const license = text;

export const bundleFile = z.object({
  /** Programs refuse unknown formats. */
  format: z.literal(1),
  /** Others may use it if it holds all they need. */
  environment: text,
  /** RFC 3339. */
  made: z.iso.datetime(),
  /** `linux/amd64`. */
  platforms: z.array(text).min(1).readonly(),
  /** Absent where the machines already have k3s. */
  k3s: z
    .object({
      version: text,
      parts: z.array(z.object({ path, source: text })).readonly(),
      license,
    })
    .optional(),
  images: z
    .array(
      z.object({
        /** As in pods. */
        reference: text,
        path,
        /** In its registry: of the index, if any. */
        digest: text,
        license,
      }),
    )
    .readonly(),
  charts: z.array(z.object({ name: text, version: text, path, source: text, license })).readonly(),
  models: z
    .array(
      z.object({
        /** `organization/name` of Hugging Face. */
        repository: text,
        /** As in the environment: branch, tag or commit. */
        revision: text,
        commit: z.string().regex(/^[0-9a-f]{40}$/),
        /** Below `models`. */
        folder: z.string().regex(/^[^/\\\p{Cc}]+$/u),
        manifestSha256: sha256,
        bytes,
        license,
      }),
    )
    .readonly(),
  /** All files but this and `SHA256SUMS`, by path. */
  files: z.array(file).readonly(),
});

export type BundleFile = z.output<typeof bundleFile>;
export type BundledFile = z.output<typeof file>;
export type BundledModel = BundleFile["models"][number];

export function bundleText(bundle: BundleFile): string {
  return `${JSON.stringify(bundle, undefined, 1)}\n`;
}

/** As `sha256sum` writes. */
export function sumsText(files: readonly BundledFile[]): string {
  return files.map((each) => `${each.sha256}  ${each.path}\n`).join("");
}

/** The bundle, or the problem of an invalid file. */
export function parseBundle(content: string): BundleFile | { readonly problem: string } {
  try {
    const json: unknown = JSON.parse(content);
    const parsed = bundleFile.safeParse(json);
    if (parsed.success) {
      return parsed.data;
    }
    const { format } = Object(json) as { readonly format?: unknown };
    if (format !== 1) {
      return { problem: `it has the format ${JSON.stringify(format)}, and this program reads format 1` };
    }
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".")}: ${issue?.message}` };
  } catch {
    return { problem: "it is no JSON" };
  }
}
