import type * as pulumi from "@pulumi/pulumi";
import type { CpuArchitecture } from "../../../catalog/shapes";
import type { HostRequirements } from "../../../planner/host-requirements";
import type { KubeletSettings } from "./kubelet";
import type { RegistrySource } from "./registries";

export interface Host {
  /** Name of its node. */
  readonly name: string;
  /** DNS name or IP address. */
  readonly address: string;
  readonly user: string;
  readonly port: number;
  /** Public host key in OpenSSH format: other machines are refused. */
  readonly hostKey: string;
  /** Secret. @default keys of the SSH agent, which are otherwise not tried */
  readonly privateKey: pulumi.Output<string> | undefined;
  /** Secret. */
  readonly privateKeyPassphrase: pulumi.Output<string> | undefined;
  /** Secret; for sudo and login of `user`. @default sudo without a password */
  readonly password: pulumi.Output<string> | undefined;
}

/** A folder with all downloads: its local path and its copy on the machine. */
export interface HostBundle {
  readonly here: string;
  readonly onHost: string;
  /** SHA-256 of bundle.json, hexadecimal: identifies the copy. */
  readonly sha256: string;
  /** Image archives by file name, with SHA-256 in hexadecimal. The machine accepts no others. */
  readonly archives: readonly { readonly name: string; readonly sha256: string }[];
}

/** Settings of a k3s installation. Plain data except the host's secrets. */
export interface K3sSettings {
  readonly environment: string;
  readonly host: Host;
  /** Whether to refuse production risks: an unencrypted disk. */
  readonly production: boolean;
  readonly arch: CpuArchitecture;
  /** Requirements of the plan. */
  readonly requirements: HostRequirements;
  readonly labels: Readonly<Record<string, string>>;
  /** Additional names and addresses of the Kubernetes API. */
  readonly serverNames: readonly string[];
  readonly namespaces: readonly string[];
  readonly kubelet: KubeletSettings;
  /** Source of k3s' own images. */
  readonly images: RegistrySource;
  /** Source of all downloads. @default the internet */
  readonly bundle: HostBundle | undefined;
}
