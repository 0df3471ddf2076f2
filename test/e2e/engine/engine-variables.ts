import { delimiter, dirname } from "node:path";
import { requirePart } from "../../../rehearsal/parts/find";

export interface EngineSurroundings {
  /** Folder of its settings and plugins. */
  readonly home: string;
  /** Folder of the file backend. */
  readonly backend: string;
  /** Where providers listen, by package. */
  readonly ports: Readonly<Record<string, number>>;
}

/**
 * What the real engine runs with.
 *
 * @throws Error that names the command which installs it.
 */
export function engineVariables({ home, backend, ports }: EngineSurroundings): Readonly<Record<string, string>> {
  const providers = Object.entries(ports).map(([name, port]) => `${name}:${port}`);
  return {
    PATH: [dirname(requirePart("pulumi")), process.env.PATH].join(delimiter),
    PULUMI_HOME: home,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "correct horse battery staple",
    PULUMI_DEBUG_PROVIDERS: providers.join(","),
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}
