// Makes dist/main.js, the API, and dist/relay.js, the relay, each in one file, so that their image needs no node_modules.
// With an argument: in that folder instead.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = dirname(fileURLToPath(import.meta.url));

await build({
  absWorkingDir: folder,
  entryPoints: { main: join("src", "main.ts"), relay: join("src", "relay", "main.ts") },
  outdir: process.argv[2] ?? "dist",
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  sourcemap: true,
  // BullMQ can keep its jobs in PostgreSQL, too, and talk to Redis through another library; neither is used.
  external: ["pg", "redis", "bullmq-otel"],
  logLevel: "warning",
});
