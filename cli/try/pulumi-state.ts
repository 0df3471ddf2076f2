import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";

/** Where Pulumi keeps states, by its files and variables. */
export interface StateChoice {
  /** Undefined: not logged in. */
  readonly backend: string | undefined;
  /** Secrets need the user's own passphrase, which is not available. */
  readonly lacksPassphrase: boolean;
}

const credentials = z.object({ current: z.string().optional() });

/** Placeholder for an unreadable login: newer command lines encrypt the file. */
const SOMEWHERE = "https://";

/** Self-managed backends, which encrypt secrets with a passphrase by default. */
const OWN_BACKEND = /^(file|s3|gs|azblob|postgres):/;

/**
 * Without requests: an unreachable service must not look like no login.
 *
 * Source: pulumi/pulumi v3.259.0, sdk/go/common/workspace/creds.go (credentials.json, `current`),
 * sdk/go/common/env/env.go.
 */
export function stateChoice(
  env: NodeJS.ProcessEnv,
  project: { readonly backend?: { readonly url?: string } },
): StateChoice {
  const home = env.PULUMI_HOME ?? join(env.HOME ?? homedir(), ".pulumi");
  const backend =
    env.PULUMI_BACKEND_URL ||
    project.backend?.url ||
    currentIn(join(home, "credentials.json")) ||
    (env.PULUMI_ACCESS_TOKEN ? "https://api.pulumi.com" : undefined);
  const isOwn = backend === undefined || OWN_BACKEND.test(backend);
  const hasPassphrase = env.PULUMI_CONFIG_PASSPHRASE !== undefined || Boolean(env.PULUMI_CONFIG_PASSPHRASE_FILE);
  return { backend, lacksPassphrase: isOwn && !hasPassphrase };
}

function currentIn(file: string): string | undefined {
  if (!existsSync(file)) {
    return undefined;
  }
  try {
    return credentials.parse(JSON.parse(readFileSync(file, "utf8"))).current || undefined;
  } catch {
    return SOMEWHERE;
  }
}

/** A trial's passphrase, owner-readable. An existing one stays: the state needs it. */
export function keptPassphrase(file: string): void {
  if (existsSync(file)) {
    return;
  }
  writePrivate(file, `${randomBytes(24).toString("base64url")}\n`);
}

/** Owner-readable only. */
export function writePrivate(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}
