/**
 * Where Pulumi's OCI provider finds credentials, without printing any:
 * https://www.pulumi.com/registry/packages/oci/installation-configuration (read 2026-11-23):
 * configuration `oci:…`, variables `TF_VAR_…`, a profile of ~/.oci/config.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isFileSystemError } from "../io";
import { failed, passed, type Verdict, warning } from "./checks/check";

export interface CredentialSources {
  readonly env: NodeJS.ProcessEnv;
  /** Stack configuration by full key, `oci:auth`. */
  readonly config: Readonly<Record<string, string>>;
}

const KEYS = ["tenancy", "user", "fingerprint", "region"] as const;
const SETUP = "make one: oci setup config, or oci session authenticate";

/**
 * Found credentials, and whether they are of the cluster's tenancy.
 *
 * @param tenancy OCID.
 */
export function ociCredentials(tenancy: string, { env, config }: CredentialSources): Verdict {
  const value = (key: string, variable: string) => config[`oci:${key}`] ?? env[`TF_VAR_${variable}`];
  const auth = value("auth", "auth");
  if (auth !== undefined && !/^(api_?key|security_?token)$/i.test(auth)) {
    return passed(`${printable(auth)}: the rights of the machine that pulumi up runs on`);
  }
  const given = [
    value("tenancyOcid", "tenancy_ocid"),
    value("userOcid", "user_ocid"),
    value("fingerprint", "fingerprint"),
    value("privateKey", "private_key") ?? value("privateKeyPath", "private_key_path"),
  ];
  if (given.every((one) => one !== undefined && one !== "")) {
    return ofTenancy(given[0], tenancy, "an API key in the configuration or in TF_VAR_ variables");
  }
  return profileVerdict(value("configFileProfile", "config_file_profile") ?? "DEFAULT", tenancy, env);
}

function profileVerdict(profile: string, tenancy: string, env: NodeJS.ProcessEnv): Verdict {
  const home = env.HOME ?? homedir();
  const path = join(home, ".oci", "config");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (!isFileSystemError(error)) {
      throw error;
    }
    return failed(
      error.code === "ENOENT" ? `no ${path}, and no TF_VAR_ variables` : `${path} cannot be read (${error.code})`,
      SETUP,
      "on an instance of OCI: pulumi config set oci:auth InstancePrincipal",
    );
  }
  const profiles = profilesOf(text);
  const found = profiles.get(profile);
  if (found === undefined) {
    return failed(
      `${path} has no profile ${printable(profile)}`,
      "name one that is there: pulumi config set oci:configFileProfile <profile>",
      SETUP,
    );
  }
  const merged: Readonly<Record<string, string>> = { ...profiles.get("DEFAULT"), ...found };
  const token = merged.security_token_file;
  const missing = KEYS.filter((key) => (merged[key] ?? "") === "" && !(key === "user" && token !== undefined));
  const files = [merged.key_file ?? "", ...(token === undefined ? [] : [token])].map((file) =>
    file.replace(/^~(?=\/|$)/, home),
  );
  if (missing.length > 0 || files.some((file) => file === "")) {
    return failed(
      `profile ${printable(profile)} of ${path} lacks ${[...missing, ...(merged.key_file ? [] : ["key_file"])].join(", ")}`,
      SETUP,
    );
  }
  const gone = files.filter((file) => !existsSync(file));
  if (gone.length > 0) {
    return failed(`profile ${printable(profile)} of ${path} names a key or token file that is not there`, SETUP);
  }
  const text1 = `profile ${printable(profile)} of ${path}`;
  const verdict = ofTenancy(merged.tenancy, tenancy, text1);
  return token !== undefined && verdict.status === "passed"
    ? warning(
        `${text1}: a session, which ends`,
        "pulumi up may take an hour: oci session refresh before it, and pulumi config set oci:auth SecurityToken",
      )
    : verdict;
}

function ofTenancy(found: string | undefined, wanted: string, where: string): Verdict {
  return found === wanted
    ? passed(where)
    : failed(
        `${where}, of another tenancy than cluster.oke.tenancyId`,
        "take a profile of that tenancy: pulumi config set oci:configFileProfile <profile>",
        "or correct tenancyId under inference-stacks:cluster (oke)",
      );
}

/** INI sections. */
function profilesOf(text: string): Map<string, Record<string, string>> {
  const profiles = new Map<string, Record<string, string>>();
  let current: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[(?<name>[^\]]+)\]\s*$/.exec(line)?.groups?.name;
    if (name !== undefined) {
      current = {};
      profiles.set(name.trim(), current);
      continue;
    }
    const { key = "", value = "" } = /^\s*(?<key>[^#;=\s][^=]*?)\s*=\s*(?<value>.*?)\s*$/.exec(line)?.groups ?? {};
    if (current !== undefined && key !== "") {
      current[key] = value;
    }
  }
  return profiles;
}

/** Only names are shown, and only plausible ones. */
function printable(name: string): string {
  return /^[\w.@-]{1,64}$/.test(name) ? name : "(a name that cannot be shown)";
}
