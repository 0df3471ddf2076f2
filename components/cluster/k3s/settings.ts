import type * as pulumi from "@pulumi/pulumi";
import type { CpuArchitecture } from "../../../catalog/shapes";
import type { HostRequirements } from "../../../planner/host-requirements";
import type { KubeletSettings } from "./kubelet";
import type { RegistrySource } from "./registries";

/** A machine, and how it is logged in to. */
export interface Host {
  /** Name that its node gets. */
  readonly name: string;
  /** DNS name or IP address. */
  readonly address: string;
  readonly user: string;
  readonly port: number;
  /** Its public host key, as OpenSSH writes it: any other machine is refused. */
  readonly hostKey: string;
  /** Secret. Undefined: the SSH agent's keys are tried; set, they are not. */
  readonly privateKey: pulumi.Output<string> | undefined;
  /** Secret. */
  readonly privateKeyPassphrase: pulumi.Output<string> | undefined;
  /** Secret; of `user`, for sudo and to log in. Undefined: sudo asks for none. */
  readonly password: pulumi.Output<string> | undefined;
}

/** A folder with everything that would come from the internet: here, and a copy of it on the machine. */
export interface HostBundle {
  readonly here: string;
  readonly onHost: string;
  /** SHA-256 of its bundle.json, in hexadecimal: the copy is the same where it has that sum. */
  readonly sha256: string;
  /** Archives in its folder of images, by file name, with their SHA-256 in hexadecimal. The machine takes no others. */
  readonly archives: readonly { readonly name: string; readonly sha256: string }[];
}

/** What an environment says of the k3s that it installs. Plain data but for the host's secrets. */
export interface K3sSettings {
  /** Name of the environment. */
  readonly environment: string;
  readonly host: Host;
  /** Whether what would be risky in production is refused: a disk that is not encrypted. */
  readonly production: boolean;
  readonly arch: CpuArchitecture;
  /** What the plan counts on. */
  readonly requirements: HostRequirements;
  /** Labels of the node. */
  readonly labels: Readonly<Record<string, string>>;
  /** Further names and addresses of the Kubernetes API. */
  readonly serverNames: readonly string[];
  /** Namespaces that the environment makes. */
  readonly namespaces: readonly string[];
  readonly kubelet: KubeletSettings;
  /** Where k3s' own images come from. */
  readonly images: RegistrySource;
  /** What everything comes from. Undefined: the internet. */
  readonly bundle: HostBundle | undefined;
}
