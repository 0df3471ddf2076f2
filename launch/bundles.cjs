// @ts-check
// Makes one file of each program: it loads in a fraction of the time that hundreds of TypeScript files take. Plain JavaScript, for
// it runs before anything is translated.
const { createHash, randomUUID } = require("node:crypto");
const { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

/** Entry files by the name of their bundle, relative to the repository's root. */
const ENTRIES = /** @type {const} */ ({
  cli: "cli/main.ts",
  program: "stacks/index.ts",
  policies: "policies/index.ts",
});

/** Files besides the sources that a bundle depends on. npm writes the second one: it says what is installed. */
const OTHER_INPUTS = ["package-lock.json", "node_modules/.package-lock.json", "tsconfig.json", "launch/bundles.cjs"];

/** A bundle that cannot be made. The message is for the user, and says what to do. */
class BundleError extends Error {}

/**
 * Path of a bundle that was made from the sources as they are now: made here unless one is there. Runs may overlap.
 *
 * @param {keyof typeof ENTRIES} name
 * @param {string} [root] of the repository
 * @returns {string}
 * @throws {BundleError} where a source is broken, or the folder of bundles cannot be written.
 */
function currentBundle(name, root = join(__dirname, "..")) {
  const file = bundleFile(name, root);
  if (!isCurrent(file, root)) {
    makeBundle(name, root);
  }
  return file;
}

/**
 * Makes a bundle whether there is one or not.
 *
 * @param {keyof typeof ENTRIES} name
 * @param {string} [root]
 * @throws {BundleError}
 */
function makeBundle(name, root = join(__dirname, "..")) {
  const file = bundleFile(name, root);
  // Not by the process's number: containers on one checkout have the same ones.
  const made = `${file}.${randomUUID()}`;
  requireWritable(made, root);
  const started = Date.now();
  try {
    const { metafile } = translate(name, root, made);
    // Packages change with npm's record of them.
    const inputs = Object.keys(metafile.inputs).filter((input) => !/(^|\/)node_modules\//.test(input));
    // Nobody knows which text of a file was read that changed meanwhile: the next run makes the bundle again.
    const key = inputs.some((input) => changedAt(join(root, input)) >= started) ? "" : keyOf(inputs, root);
    // One file, renamed when it is whole: a run beside this one loads all of it or none. Its first line is a comment.
    const text = readFileSync(made, "utf8");
    const body = text.slice(text.indexOf("\n"));
    writeFileSync(made, `//${JSON.stringify({ key, inputs, body: sha256(body) })}${body}`);
    renameSync(`${made}.map`, `${file}.map`);
    renameSync(made, file);
  } finally {
    rmSync(made, { force: true });
    rmSync(`${made}.map`, { force: true });
  }
}

/**
 * @param {keyof typeof ENTRIES} name
 * @param {string} root
 * @param {string} outfile
 */
function translate(name, root, outfile) {
  const esbuild = requiredEsbuild(root);
  try {
    return esbuild.buildSync({
      absWorkingDir: root,
      entryPoints: [join(root, ENTRIES[name])],
      outfile,
      bundle: true,
      platform: "node",
      target: "node20",
      format: "cjs",
      // The Pulumi SDK must exist once per process, and finds its own files beside it.
      external: ["@pulumi/pulumi", "@pulumi/pulumi/*", "@pulumi/policy"],
      // A source may be a link: its key follows the link, wherever it points by then.
      preserveSymlinks: true,
      banner: { js: "//" },
      // For the traces of errors, which Pulumi's runner translates.
      sourcemap: "external",
      sourcesContent: false,
      footer: { js: `//# sourceMappingURL=${name}.cjs.map` },
      logLevel: "silent",
      metafile: true,
    });
  } catch (error) {
    const { errors, message } = /** @type {import("esbuild").BuildFailure} */ (error);
    if (errors === undefined) {
      throw packagesError(root, message.trim());
    }
    const lacking = new Set(errors.flatMap(({ text }) => MISSING_PACKAGE.exec(text)?.[1] ?? []));
    if (lacking.size > 0) {
      throw packagesError(root, `it lacks ${[...lacking].sort().slice(0, 5).join(", ")}`);
    }
    const said = esbuild.formatMessagesSync(errors, { kind: "error" }).join("").trim();
    throw new BundleError(`${ENTRIES[name]} cannot be translated; fix what esbuild names:\n${said}`);
  }
}

/** What esbuild says of an import of a package, whose name begins with neither a dot nor a slash. */
const MISSING_PACKAGE = /^Could not resolve "((?:@[^/"]+\/)?[^./"][^/"]*)[^"]*"/;

/**
 * @param {string} root
 * @throws {BundleError}
 */
function requiredEsbuild(root) {
  try {
    return require("esbuild");
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    throw packagesError(root, code === "MODULE_NOT_FOUND" ? "it lacks esbuild" : message);
  }
}

/**
 * @param {string} root
 * @param {string} problem
 */
function packagesError(root, problem) {
  return new BundleError(
    `${join(root, "node_modules")} is missing or incomplete: ${problem}. Install the packages of package-lock.json: npm ci`,
  );
}

/**
 * @param {string} name
 * @param {string} root
 */
function bundleFile(name, root) {
  return join(root, "dist", `${name}.cjs`);
}

/**
 * @param {string} file
 * @param {string} root
 */
function isCurrent(file, root) {
  try {
    const bundle = readFileSync(file);
    const end = bundle.indexOf("\n");
    const { key, inputs, body } = JSON.parse(bundle.toString("utf8", 2, end));
    return body === sha256(bundle.subarray(end)) && key === keyOf(inputs, root);
  } catch {
    // None is there, or none of ours.
    return false;
  }
}

/**
 * A hash of what a bundle is made from: of the content, because checkouts and copies change the times of files as they like.
 *
 * @param {readonly string[]} inputs
 * @param {string} root
 */
function keyOf(inputs, root) {
  const hash = createHash("sha256");
  for (const input of [...inputs, ...OTHER_INPUTS]) {
    hash
      .update(`${input}\n`)
      .update(contentOf(join(root, input)))
      .update("\n");
  }
  return hash.digest("hex");
}

/** @param {string} file */
function contentOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return "(none)";
  }
}

/**
 * The latest moment at which a file may have been written or put into its place: tools that copy keep the former time, and cannot choose
 * the latter. Some file systems keep times to two seconds.
 *
 * @param {string} file
 */
function changedAt(file) {
  const stats = [statSync(file, { throwIfNoEntry: false }), lstatSync(file, { throwIfNoEntry: false })];
  const time = Math.max(...stats.flatMap((stat) => [stat?.mtimeMs ?? 0, stat?.ctimeMs ?? 0]));
  return time % 1000 === 0 ? time + 2000 : time;
}

/** @param {string | Buffer} content */
function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * @param {string} file
 * @param {string} root
 * @throws {BundleError}
 */
function requireWritable(file, root) {
  const folder = join(root, "dist");
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, "");
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new BundleError(
      `${folder} cannot be written (${code}): commands and pulumi run from bundles that the first of them makes there, and again after a change. ` +
        "Let this user write to the folder, or make them as one who may: node cli/run.mjs --build",
    );
  }
}

module.exports = { BundleError, ENTRIES, currentBundle, makeBundle };
