import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "./mutant";

/** Top folders whose files are no product: tests, and what developers run by hand. */
const NO_PRODUCT = new Set(["node_modules", "dist", "coverage", "test", "scripts"]);

/** A source file of the product. */
export interface ProductFile {
  /** Path from the root. */
  readonly file: string;
  readonly text: string;
}

/** A top folder of the product, with its files that have code. */
export interface Room {
  readonly name: string;
  readonly files: readonly ProductFile[];
  /** Lines of code in them: neither empty nor comments. */
  readonly lines: number;
}

/** TypeScript files of a checkout, from its root, sorted. */
export function typeScriptFiles(root: string, folder = ""): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        return entry.name.startsWith(".") || entry.name === "node_modules" ? [] : typeScriptFiles(root, path);
      }
      return entry.isFile() && /(?<!\.d)\.ts$/.test(path) ? [path] : [];
    })
    .sort();
}

/** Rooms of a checkout in which mutants can be. */
export function productRooms(root: string): Room[] {
  const names = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && !NO_PRODUCT.has(entry.name))
    .map(({ name }) => name)
    .sort();
  return names
    .map((name) => {
      const files = typeScriptFiles(root, name)
        .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
        .filter(({ file, text }) => !file.endsWith(".test.ts") && hasCode(file, text));
      return { name, files, lines: files.reduce((sum, { text }) => sum + linesOfCode(text), 0) };
    })
    .filter(({ files }) => files.length > 0);
}

function linesOfCode(text: string): number {
  return text.split("\n").filter((line) => /^\s*(?!\/[/*]|\*)\S/.test(line)).length;
}
