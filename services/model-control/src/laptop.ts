import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir, totalmem } from "node:os";
import { join } from "node:path";
import { type ControlConfig, configSchema } from "./config";

/** Path of the configuration file. */
export const CONFIG_VARIABLE = "MODEL_CONTROL_CONFIG";

/** Default without a configuration file: Ollama, and Redis or Valkey, on this machine. */
export interface Laptop {
  readonly config: ControlConfig;
  /** Token file, readable by its owner only. */
  readonly tokenFile: string;
}

/**
 * Creates a token and an encryption key at the first start, and keeps them. Listens on loopback
 * only.
 *
 * @param folder
 * @default the user's XDG state folder
 */
export function laptop(folder = join(stateHome(), "inference-stacks", "model-control")): Laptop {
  const tokenFile = join(folder, "token");
  const tokensFile = join(folder, "tokens.json");
  if (!existsSync(tokenFile)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(tokenFile, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  }
  const sha256 = createHash("sha256").update(readFileSync(tokenFile, "utf8").trim()).digest("hex");
  const tokens = [{ id: "laptop", sha256, scopes: ["read", "operate"] }];
  writeFileSync(tokensFile, JSON.stringify({ tokens }), { mode: 0o600 });
  const keyFile = join(folder, "inference-keys.json");
  if (!existsSync(keyFile)) {
    const keys = [{ id: "laptop", key: randomBytes(32).toString("base64") }];
    writeFileSync(keyFile, JSON.stringify({ keys }), { mode: 0o600 });
  }
  const config = configSchema.parse({
    listen: { host: "127.0.0.1" },
    inference: { keyFile },
    redis: { url: "redis://127.0.0.1:6379" },
    tokensFile,
    // Leaves half of the memory to the machine's user.
    workers: [
      { name: "laptop", backend: "ollama", url: "http://127.0.0.1:11434", memoryBytes: Math.floor(totalmem() / 2) },
    ],
  });
  return { config, tokenFile };
}

function stateHome(): string {
  const named = process.env.XDG_STATE_HOME;
  return named?.startsWith("/") ? named : join(homedir(), ".local", "state");
}
