import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { ImportGraph } from "./import-graph";

/**
 * Checks whether a checkout would still pass the type check with one file changed. One language service keeps the program, so
 * that a change costs the files that it touches: the file, and where its declarations changed those that import it, and so on.
 * Unused names are no errors: a change that removes their last use would remove them as well.
 */
export class TypeCheck {
  private readonly text = new Map<string, string>();
  private edited: { readonly path: string; readonly text: string } | undefined;
  private edits = 0;
  private readonly clean: ts.LanguageService;
  private readonly changed: ts.LanguageService;

  constructor(
    private readonly root: string,
    private readonly graph: ImportGraph,
  ) {
    const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
    const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const registry = ts.createDocumentRegistry(true, root);
    const service = (isEdited: boolean) =>
      ts.createLanguageService(
        {
          ...ts.sys,
          getCompilationSettings: () => ({
            ...options,
            noEmit: false,
            declaration: true,
            emitDeclarationOnly: true,
            incremental: false,
            tsBuildInfoFile: undefined,
            noUnusedLocals: false,
            noUnusedParameters: false,
          }),
          getScriptFileNames: () => fileNames,
          getScriptVersion: (path) => (isEdited && this.edited?.path === path ? `edit ${this.edits}` : "as it is"),
          getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(this.read(path, isEdited)),
          getCurrentDirectory: () => root,
          getDefaultLibFileName: ts.getDefaultLibFilePath,
          readFile: ts.sys.readFile,
          fileExists: ts.sys.fileExists,
          useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
        },
        registry,
      );
    this.clean = service(false);
    this.changed = service(true);
  }

  /**
   * @param file path from the root
   * @param text its content as changed
   * @throws Error where the checkout does not pass as it is, for want of packages for example
   */
  passes(file: string, text: string): boolean {
    this.edited = { path: join(this.root, file), text };
    this.edits += 1;
    const open = new Set([file]);
    for (const at of open) {
      const path = join(this.root, at);
      if (hasErrors(this.changed, path)) {
        if (hasErrors(this.clean, path)) {
          throw new Error(`${at} does not pass the type check without mutants. Run npm ci, then npm run typecheck`);
        }
        return false;
      }
      if (declarations(this.changed, path) !== declarations(this.clean, path)) {
        for (const importer of this.graph.importersOf(at)) {
          open.add(importer);
        }
      }
    }
    return true;
  }

  private read(path: string, isEdited: boolean): string {
    if (isEdited && this.edited?.path === path) {
      return this.edited.text;
    }
    const text = this.text.get(path) ?? readFileSync(path, "utf8");
    this.text.set(path, text);
    return text;
  }
}

function hasErrors(service: ts.LanguageService, path: string): boolean {
  return service.getSyntacticDiagnostics(path).length > 0 || service.getSemanticDiagnostics(path).length > 0;
}

function declarations(service: ts.LanguageService, path: string): string | undefined {
  return service.getEmitOutput(path, true, true).outputFiles[0]?.text;
}
