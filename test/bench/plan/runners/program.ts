import { run } from "../../../../cli/main";

// What `cli/run.mjs` does with the bundle, for runners that load the TypeScript sources.
void run(process.argv.slice(2));
