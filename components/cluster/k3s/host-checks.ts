import type { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { K3S_VERSION, k3sFor, k3sUrl } from "../../../catalog/k3s";
import { cards, gpuModels } from "../../../catalog/shapes";
import { ofMade } from "../../core/known";
import { type HostFacts, parseHostFacts } from "./host-facts";
import { hostScript } from "./host-script";
import type { HostBundle, K3sSettings } from "./settings";

export interface CheckedHost {
  readonly checks: remote.Command;
  readonly facts: pulumi.Output<HostFacts>;
}

/**
 * Checks a machine before any change, at creation and when requirements change. Reports all
 * problems with fixes.
 */
export function hostChecks(name: string, settings: K3sSettings, opts: pulumi.CustomResourceOptions): CheckedHost {
  const { host } = settings;
  const checks = hostScript(
    name,
    { host, script: "host-checks", verb: "check", values: hostCheckValues(settings) },
    opts,
  );
  // Facts are not secret; login data, which the provider mixes in, is.
  return { checks, facts: pulumi.unsecret(ofMade(checks, checks.stdout)).apply(parseHostFacts) };
}

export function hostCheckValues({
  environment,
  host,
  production,
  arch,
  requirements,
  bundle,
}: Omit<K3sSettings, "kubelet" | "images" | "namespaces">): Readonly<Record<string, string>> {
  const { binary, machine } = k3sFor(arch);
  const { pool, vcpus, memoryGiB, diskGB, gpus } = requirements;
  return {
    ENVIRONMENT: environment,
    NODE: host.name,
    MACHINE: machine,
    PRODUCTION: production ? "yes" : "",
    VERSION: K3S_VERSION,
    BINARY_URL: k3sUrl(binary),
    BINARY_SHA256: binary.sha256,
    BUNDLE: bundle?.onHost ?? "",
    BUNDLE_SHA256: bundle?.sha256 ?? "",
    BUNDLE_COPY: bundle === undefined ? "" : copyCommand(host, bundle),
    POOL: pool,
    // The script uses integers.
    VCPUS: String(Math.floor(vcpus)),
    MEMORY_GIB: String(Math.floor(memoryGiB)),
    DISK_GB: String(Math.floor(diskGB)),
    GPU_VENDOR: gpus?.vendor ?? "",
    GPU_MODEL: gpus?.model ?? "",
    GPU_NAMES: gpus?.names.join("\n") ?? "",
    GPU_GFX_VERSION: String(gpus?.gfx?.version ?? ""),
    GPU_COUNT: String(gpus?.count ?? 0),
    GPU_MEMORY_GIB: String(Math.round(gpus?.memoryGiB ?? 0)),
    MINIMUM_DRIVER: gpus?.minimumDriver?.version ?? "",
    MINIMUM_DRIVER_BECAUSE: gpus?.minimumDriver?.because ?? "",
    CARDS: cards
      .filter(({ gpu }) => gpuModels.some(({ model, vendor }) => model === gpu && vendor === gpus?.vendor))
      .map(({ name }) => name)
      .join(", "),
  };
}

/** Copies a bundle to the machine, skipping files already there. */
function copyCommand({ user, address, port }: K3sSettings["host"], { here, onHost }: HostBundle): string {
  const at = address.includes(":") ? `[${address}]` : address;
  const through = port === 22 ? "" : ` -e 'ssh -p ${port}'`;
  return `rsync --archive --delete${through} ${here}/ ${user}@${at}:${onHost}/`;
}
