import packageFile from "../../package.json";
import { ConfigError } from "../config-file";
import { createLogger } from "../telemetry/logger";
import { readRelayConfig } from "./config";
import { startRelay } from "./start";

/** Path of the configuration file. */
const CONFIG_VARIABLE = "MODEL_RELAY_CONFIG";

async function main(): Promise<void> {
  const path = process.env[CONFIG_VARIABLE];
  if (path === undefined || path === "") {
    throw new ConfigError(`${CONFIG_VARIABLE} is not set: it names the relay's configuration`);
  }
  const config = readRelayConfig(path);
  const log = createLogger();
  const relay = await startRelay(config, log);
  log.info({ version: packageFile.version, url: relay.url, admin: relay.adminUrl }, "model relay started");
  const end = (signal: NodeJS.Signals) => {
    log.info({ signal }, "shutting down");
    relay.close().then(() => process.exit(0));
  };
  process.once("SIGTERM", end);
  process.once("SIGINT", end);
}

main().catch((error: unknown) => {
  const known =
    error instanceof ConfigError || (error instanceof Error && "code" in error && error.code === "EADDRINUSE");
  process.stderr.write(`${known ? (error as Error).message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(error instanceof ConfigError ? 2 : 1);
});
