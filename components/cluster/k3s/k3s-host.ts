import type { remote } from "@pulumi/command";
import type * as pulumi from "@pulumi/pulumi";
import { K3S_INSTALLER, K3S_VERSION, k3sFor, k3sUrl } from "../../../catalog/k3s";
import { hostScript } from "./host-script";
import { k3sFiles } from "./k3s-config";
import type { K3sSettings } from "./settings";

/** Installs k3s and waits until its node is ready. Deletion restores the machine. */
export function k3sHost(name: string, settings: K3sSettings, opts: pulumi.CustomResourceOptions): remote.Command {
  const { host, environment, arch, labels, bundle } = settings;
  const { binary, images } = k3sFor(arch);
  return hostScript(
    name,
    {
      host,
      script: "k3s",
      verb: "install",
      undo: "uninstall",
      values: {
        ENVIRONMENT: environment,
        NODE: host.name,
        LABELS: Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(" "),
        VERSION: K3S_VERSION,
        BINARY_FILE: binary.file,
        BINARY_URL: k3sUrl(binary),
        BINARY_SHA256: binary.sha256,
        INSTALLER_URL: K3S_INSTALLER.url,
        INSTALLER_SHA256: K3S_INSTALLER.sha256,
        BUNDLE: bundle?.onHost ?? "",
        BUNDLE_ARCHIVES: bundle?.archives.map(({ name, sha256 }) => `${sha256} ${name}`).join("\n") ?? "",
        IMAGES_FILE: images.file,
        IMAGES_SHA256: images.sha256,
      },
      files: k3sFiles(settings),
    },
    opts,
  );
}
