// Makes dist/main.js, or the file that is named: the whole API in one file, so that its image needs no node_modules.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));

await build({
  absWorkingDir: folder,
  entryPoints: [join("src", "main.ts")],
  outfile: process.argv[2] ?? join("dist", "main.js"),
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: true,
  // BullMQ can keep its jobs in PostgreSQL, too, and talk to Redis through another library; neither is used.
  external: ["pg", "redis", "bullmq-otel"],
  logLevel: "warning",
});
