import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { repositoryRoot } from "../../names/repository-root";

/** Rooms of the program: what a package has. */
const ROOMS = [
  "bundle",
  "catalog",
  "charts",
  "cli",
  "components",
  "downloads",
  "engines",
  "kubernetes",
  "names",
  "offline",
  "planner",
  "platform",
  "policies",
  "rehearsal",
  "render",
  "report",
  "services/model-control/src",
  "stacks",
];

const PLAIN_FILES = ["LICENSE", "launch/platform.cjs", "launch/project.cjs", "launch/command.cjs"];

/** This repository's choice of parts: a package leaves it to its users. */
const CHOICES = ["components/serving/standard-servers.ts", "engines/standard.ts", "stacks/addons/standard.ts"];

/** Packages whose types are in the declarations of ours. */
const TYPES = [
  "@grafana/schema",
  "@kubernetes-models/envoy-gateway",
  "@kubernetes-models/gateway-api",
  "@kubernetes-models/istio",
];

/** Starts the program from its sources. */
const NOT_PACKED = ["cli/run.mjs", "policies/main.cjs", "policies/tsconfig.json", "stacks/main.cjs"];

const isSource = (file: string) => file.endsWith(".ts");
/** Scripts of pods are mounted as they are written, too. */
const isAsset = (file: string) => !isSource(file) || file.split("/").includes("scripts");

/**
 * Makes the npm package in a folder: each module by itself, so that what a platform leaves out is not
 * loaded, with the files that modules read in their places.
 */
export function buildPackage(folder: string): void {
  const root = repositoryRoot();
  rmSync(folder, { recursive: true, force: true });
  const files = ROOMS.flatMap((room) => filesBelow(root, room)).filter((file) => !NOT_PACKED.includes(file));
  const sources = files.filter((file) => isSource(file) && !CHOICES.includes(file));
  translate(root, sources, folder);
  for (const file of [...files.filter(isAsset), ...PLAIN_FILES]) {
    cpSync(join(root, file), join(folder, file));
  }
  for (const file of CHOICES) {
    write(folder, file.replace(/\.ts$/, ".js"), "");
  }
  write(folder, "package.json", `${JSON.stringify(manifest(root), undefined, 2)}\n`);
  const policies = JSON.parse(readFileSync(join(root, "policies/package.json"), "utf8"));
  write(folder, "policies/package.json", `${JSON.stringify({ ...policies, main: "index.js" }, undefined, 2)}\n`);
}

function translate(root: string, sources: readonly string[], outdir: string): void {
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [...sources],
    outdir,
    outbase: root,
    platform: "node",
    target: "node20",
    format: "cjs",
    // Modules without extensions are found by require alone.
    supported: { "dynamic-import": false },
    write: false,
    logLevel: "error",
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text.replace(/require\("(\.[^"]+)\.ts"\)/g, 'require("$1.js")'));
  }
}

function manifest(root: string): object {
  const { name, version, description, license, engines, dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const { "@pulumi/pulumi": sdk, ...others } = dependencies;
  return {
    name,
    version,
    description,
    license,
    engines,
    main: "platform/index.js",
    bin: { "inference-stacks": "launch/command.cjs" },
    exports: {
      ".": "./platform/index.js",
      "./addon": "./stacks/addons/addon.js",
      "./package.json": "./package.json",
      "./launch/*": "./launch/*",
      "./*": "./*.js",
    },
    // Two SDKs in one process make two sets of default providers.
    peerDependencies: { "@pulumi/pulumi": sdk },
    dependencies: { ...others, ...Object.fromEntries(TYPES.map((each) => [each, devDependencies[each]])) },
  };
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (/^(node_modules|dist|__.*__)$/.test(entry.name)) {
      return [];
    }
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
}
