import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { BundleError, currentBundle, makeBundle } from "../../launch/bundles.cjs";
import { repositoryRoot } from "../../names/repository-root";
import { useFolder } from "../cli/run";

const folder = useFolder();
let root = "";
let checkouts = 0;

const put = (path: string, text: string) => writeFileSync(join(root, path), text);
/** What the program says, from its sources as they are now. */
const said = () => loaded(currentBundle("program", root)).said;
const loaded = (file: string): { readonly said: string } => {
  const require = createRequire(file);
  delete require.cache[file];
  return require(file);
};
/** The inode: another one after each time that the bundle was made. */
const madeAs = () => statSync(join(root, "dist", "program.cjs")).ino;

beforeEach(() => {
  checkouts += 1;
  root = join(folder, String(checkouts));
  mkdirSync(join(root, "stacks"), { recursive: true });
  put("stacks/index.ts", 'import { word } from "./word";\nexport const said: string = word;\n');
  put("stacks/word.ts", 'export const word = "first";\n');
  put("package-lock.json", "{}");
});

describe("a bundle", () => {
  it("is made once from the same sources, whatever their times say", () => {
    expect(said()).toBe("first");
    const made = madeAs();
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(root, "stacks/word.ts"), later, later);
    expect(said()).toBe("first");
    expect(madeAs()).toBe(made);
  });

  it("is made again from a source with another content, be it older than the bundle", () => {
    said();
    put("stacks/word.ts", 'export const word = "other";\n');
    utimesSync(join(root, "stacks/word.ts"), 0, 0);
    expect(said()).toBe("other");
  });

  it.each(["package-lock.json", "node_modules/.package-lock.json", "tsconfig.json"])(
    "is made again after a change of %s",
    (file) => {
      said();
      const made = madeAs();
      mkdirSync(join(root, "node_modules"));
      put(file, '{ "compilerOptions": {} }');
      said();
      expect(madeAs()).not.toBe(made);
    },
  );

  it("is made again where a source has gone", () => {
    said();
    rmSync(join(root, "stacks/word.ts"));
    mkdirSync(join(root, "stacks/word"));
    put("stacks/word/index.ts", 'export const word = "moved";\n');
    expect(said()).toBe("moved");
  });

  it("is not trusted where a source changed while it was made", () => {
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(root, "stacks/word.ts"), later, later);
    said();
    const made = madeAs();
    said();
    expect(madeAs()).not.toBe(made);
  });

  it("is made over a file that is none", () => {
    mkdirSync(join(root, "dist"));
    put("dist/program.cjs", "//{}\n");
    expect(said()).toBe("first");
  });

  it("is made again where it is cut off, or is not what was made", () => {
    said();
    const file = join(root, "dist", "program.cjs");
    const whole = readFileSync(file, "utf8");
    for (const damaged of [whole.slice(0, -20), whole.replace('"first"', '"other"'), whole.split("\n")[0] ?? ""]) {
      writeFileSync(file, damaged);
      expect(said()).toBe("first");
    }
  });

  it("names file and line of a source that is broken, and is made once that is mended", () => {
    said();
    put("stacks/word.ts", "export const word = ;\n");
    expect(() => currentBundle("program", root)).toThrow(BundleError);
    expect(() => currentBundle("program", root)).toThrow(
      /^stacks\/index\.ts cannot be translated; fix what esbuild names:\n.*Unexpected ";".*stacks\/word\.ts:1:20/s,
    );
    expect(readdirSync(join(root, "dist")).sort()).toEqual(["program.cjs", "program.cjs.map"]);
    put("stacks/word.ts", 'export const word = "mended";\n');
    expect(said()).toBe("mended");
  });

  it("is made again where a link among its sources points elsewhere, or what it points to changes", () => {
    const elsewhere = join(folder, `elsewhere-${checkouts}`);
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "one.ts"), 'export const word = "one";\n');
    writeFileSync(join(elsewhere, "two.ts"), 'export const word = "two";\n');
    const link = (target: string) => {
      rmSync(join(root, "stacks/word.ts"), { force: true });
      symlinkSync(join(elsewhere, target), join(root, "stacks/word.ts"));
    };
    link("one.ts");
    expect(said()).toBe("one");
    link("two.ts");
    expect(said()).toBe("two");
    writeFileSync(join(elsewhere, "two.ts"), 'export const word = "three";\n');
    expect(said()).toBe("three");
  });

  it("that lacks packages names them, their folder and npm ci", () => {
    put("stacks/index.ts", 'import "zod/mini";\nimport "@acme/thing";\nexport { word as said } from "./word";\n');
    expect(() => currentBundle("program", root)).toThrow(BundleError);
    expect(() => currentBundle("program", root)).toThrow(
      `${join(root, "node_modules")} is missing or incomplete: it lacks @acme/thing, zod. Install the packages of package-lock.json: npm ci`,
    );
    put("stacks/index.ts", 'import "./gone";\n');
    expect(() => currentBundle("program", root)).toThrow(/cannot be translated.*\.\/gone/s);
  });

  it("without esbuild names it, and npm ci", () => {
    const checkout = join(root, "launch");
    mkdirSync(checkout);
    copyFileSync(join(repositoryRoot(), "launch/bundles.cjs"), join(checkout, "bundles.cjs"));
    const { currentBundle: own } = createRequire(join(checkout, "x.cjs"))("./bundles.cjs");
    expect(() => own("program")).toThrow(/node_modules is missing or incomplete: it lacks esbuild\. .*npm ci$/);
  });

  it("whose folder cannot be written names the folder and the way out", () => {
    put("dist", "");
    expect(() => makeBundle("program", root)).toThrow(
      `${join(root, "dist")} cannot be written (EEXIST): commands and pulumi run from bundles`,
    );
    expect(() => makeBundle("program", root)).toThrow("node cli/run.mjs --build");
  });

  it("has the lines of errors in its map", () => {
    said();
    const { sources } = JSON.parse(readFileSync(join(root, "dist/program.cjs.map"), "utf8"));
    expect(sources.sort()).toEqual(["../stacks/index.ts", "../stacks/word.ts"]);
    expect(readFileSync(join(root, "dist/program.cjs"), "utf8")).toMatch(/\/\/# sourceMappingURL=program\.cjs\.map\n$/);
  });
});

it("runs that begin together each load a whole bundle, and leave nothing beside it", { timeout: 60_000 }, async () => {
  symlinkSync(join(repositoryRoot(), "node_modules"), join(root, "node_modules"));
  const script = `
    const { currentBundle } = require(${JSON.stringify(join(repositoryRoot(), "launch/bundles.cjs"))});
    console.log(require(currentBundle("program", ${JSON.stringify(root)})).said);
  `;
  const run = () => promisify(execFile)(process.execPath, ["-e", script]);
  const ended = await Promise.all([run(), run(), run()]);
  expect(ended.map(({ stdout }) => stdout)).toEqual(["first\n", "first\n", "first\n"]);
  expect(readdirSync(join(root, "dist")).sort()).toEqual(["program.cjs", "program.cjs.map"]);
});
