import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder that all workers of one run share, and no other run: what one of them computed, the others read. */
    runFolder: string;
  }
}

export default function makeRunFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "unit-tests-"));
  project.provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
