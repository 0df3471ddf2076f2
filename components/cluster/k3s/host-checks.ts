import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { k3sFor } from "../../../catalog/k3s";
import { type HostFacts, parseHostFacts } from "./host-facts";
import { hostScript } from "./host-script";
import type { K3sSettings } from "./settings";

/** A machine that was looked at, and found fit. */
export interface CheckedHost {
  readonly checks: remote.Command;
  readonly facts: pulumi.Output<HostFacts>;
}

/**
 * Looks at a machine before anything is written on it: all that is wrong is told at once, with what mends it. Runs when
 * the cluster is made, and again when what is asked of the machine changes.
 */
export function hostChecks(name: string, settings: K3sSettings, opts: pulumi.CustomResourceOptions): CheckedHost {
  const { host, production, arch } = settings;
  const checks = hostScript(
    name,
    {
      host,
      script: "host-checks",
      verb: "check",
      values: {
        HOST: host.name,
        NODE: host.name,
        ENVIRONMENT: settings.environment,
        MACHINE: k3sFor(arch).machine,
        PRODUCTION: production ? "yes" : "",
      },
    },
    opts,
  );
  return { checks, facts: pulumi.output(checks.stdout).apply(parseHostFacts) };
}
