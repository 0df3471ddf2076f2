const { join, resolve } = require("node:path");
const tsutils = require("@pulumi/pulumi/tsutils");
const root = resolve(__dirname, "../../..");
const project = join(__dirname, "tsconfig.json");
const compilerOptions = tsutils.loadTypeScriptCompilerOptions(project);
const { tsnodeRequire, typescriptRequire } = tsutils.typeScriptRequireStrings();
require(tsnodeRequire).register({
  compiler: typescriptRequire, transpileOnly: compilerOptions.noCheck, project, skipProject: false,
  compilerOptions: { target: "ES2020", module: "nodenext", moduleResolution: "nodenext", sourceMap: "true", ...compilerOptions },
});
require(join(root, "cli", "main.ts")).run(process.argv.slice(2));
