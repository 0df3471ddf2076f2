/** Asks a registry which digest a tag is at. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { OciRegistry, type RegistryLogin } from "../../components/storage/scripts/oci-registry.ts";
import { describe, FinalError } from "../../components/storage/scripts/retry.ts";
import { loginIn } from "../../components/storage/scripts/source-access.ts";
import type { ArtifactSource } from "../../planner/types";
import { HubError } from "./hub";

export interface RegistryQuestion {
  readonly source: ArtifactSource;
  /** PEM, of the registry's certificate. @default public ones */
  readonly authorities?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** @default that of the source's registry */
  readonly endpoint?: string;
}

/** @throws HubError when the registry does not answer. */
export async function digestOf({ source, authorities, env, endpoint }: RegistryQuestion): Promise<string> {
  const { registry: host, repository, tag = "" } = source;
  const file = join(env.DOCKER_CONFIG || join(homedir(), ".docker"), "config.json");
  const login = loginOf(file, host);
  try {
    const registry = new OciRegistry({ host, repository, endpoint, login, authorities, retries: { attempts: 1 } });
    return (await registry.manifest(tag)).digest;
  } catch (error) {
    const as = login === undefined ? `without a login: ${file} has none for ${host}` : `with the login of ${file}`;
    throw new HubError(`oci://${host}/${repository}:${tag}: ${describe(error)} (asked ${as})`);
  }
}

/** Undefined: anonymous. Credential helpers are other programs, and not asked. */
function loginOf(file: string, host: string): RegistryLogin | undefined {
  try {
    return loginIn(file, readFileSync(file, "utf8"), host);
  } catch (error) {
    if (error instanceof FinalError || (error instanceof Error && "code" in error)) {
      return undefined;
    }
    throw error;
  }
}
