// Runs the program as Pulumi runs a TypeScript project by default: through its vendored ts-node, with type checking.
// The registration repeats @pulumi/pulumi/cmd/run/run.js, which itself needs an engine to talk to.
const { join } = require("node:path");
const tsutils = require("@pulumi/pulumi/tsutils");

const project = join(__dirname, "tsconfig.pulumi.json");
const compilerOptions = tsutils.loadTypeScriptCompilerOptions(project);
const { tsnodeRequire, typescriptRequire } = tsutils.typeScriptRequireStrings();
require(tsnodeRequire).register({
  compiler: typescriptRequire,
  transpileOnly: compilerOptions.noCheck,
  project,
  skipProject: false,
  compilerOptions: {
    target: "ES2020",
    module: "nodenext",
    moduleResolution: "nodenext",
    sourceMap: "true",
    ...compilerOptions,
  },
});

// ts-node 7 looks for `.ts` last, and so takes catalog/models.json for the module "./models".
const { ".ts": typescript, ...others } = require.extensions;
for (const extension of Object.keys(others)) {
  delete require.extensions[extension];
}
Object.assign(require.extensions, { ".ts": typescript, ...others });

require("./program.ts");
