import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  /** URN. */
  readonly parent?: string;
  /** URN and id of its provider, joined by `::`. */
  readonly provider?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** Why it is not as ready as it should be. */
  readonly initErrors?: readonly string[];
  readonly outputs?: { readonly result?: { readonly plaintext?: string } };
}

/** A deployment as the engine exports it. */
export interface ExportedDeployment {
  readonly resources?: readonly ExportedResource[];
  /** What was begun and not reported as done. */
  readonly pending_operations?: readonly { readonly type: string; readonly resource: ExportedResource }[];
}

/**
 * The passwords that a deployment generated, of an export with its secrets shown.
 *
 * @throws Error for one that the state does not keep as a secret.
 */
export function generatedPasswords(deployment: ExportedDeployment): string[] {
  return (deployment.resources ?? [])
    .filter(({ type }) => type === "random:index/randomPassword:RandomPassword")
    .map(({ outputs }) => {
      const { plaintext } = outputs?.result ?? {};
      if (plaintext === undefined) {
        throw new Error("a generated password is not a secret in the state");
      }
      return JSON.parse(plaintext) as string;
    });
}

/** Which of these texts, by name, hold one of these values, plain or in base64. */
export function leaks(texts: ReadonlyMap<string, string>, values: readonly string[]): string[] {
  const forms = values.flatMap((value) => [value, ...base64Forms(value)]);
  return [...texts].filter(([, text]) => forms.some((form) => text.includes(form))).map(([name]) => name);
}

/** Every file below a folder, by path; of the folder itself only, unless `deep`. */
export function filesBelow(folder: string, { deep = true }: { readonly deep?: boolean } = {}): Map<string, string> {
  const entries = readdirSync(folder, { recursive: deep, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
}

/** What of a value's base64 is the same wherever the value begins in the encoded text. */
function base64Forms(value: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${" ".repeat(offset)}${value}`)
      .toString("base64")
      .replaceAll("=", "");
    const end = (offset + Buffer.byteLength(value)) % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(Math.ceil((offset * 8) / 6), end);
  });
}
