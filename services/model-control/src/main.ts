import packageFile from "../package.json";
import { startApp } from "./app";
import { type ControlConfig, readConfig } from "./config";
import { ConfigError } from "./config-file";
import { CONFIG_VARIABLE, laptop } from "./laptop";
import { createLogger } from "./telemetry/logger";

/**
 * Shutdown limit in milliseconds, plus the time for running answers. Kubernetes kills after 30 s.
 */
const END_PATIENCE = 20_000;

async function main(): Promise<void> {
  const config = configuration();
  const log = createLogger();
  const app = await startApp(config, log);
  log.info({ version: packageFile.version, url: app.url, metrics: app.metricsUrl }, "model control API started");
  const end = (signal: NodeJS.Signals) => {
    log.info({ signal }, "shutting down");
    setTimeout(
      () => {
        log.error("not everything ended in time");
        process.exit(1);
      },
      END_PATIENCE + (config.inference?.drainSeconds ?? 0) * 1000,
    ).unref();
    app.close().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, "shutting down failed");
        process.exit(1);
      },
    );
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
}

function configuration(): ControlConfig {
  const path = process.env[CONFIG_VARIABLE];
  if (path !== undefined && path !== "") {
    return readConfig(path);
  }
  const { config, tokenFile } = laptop();
  const { host, port } = config.listen;
  process.stderr.write(
    `${CONFIG_VARIABLE} is not set: controlling the Ollama of this machine. Try:\n` +
      `  curl -H "Authorization: Bearer $(cat ${tokenFile})" http://${host}:${port}/models\n`,
  );
  return config;
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
  const known = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
  process.stderr.write(
    `${known ? `${error.message}: another program uses the port ("listen" in the configuration)` : error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1);
});
