import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { type ImageMirror, mirrored } from "../../../catalog/image-mirror";

/** Where all of k3s' own images are: pause, CoreDNS, metrics-server, local-path, servicelb. */
const IMAGES_OF_K3S = { registry: "docker.io", folder: "rancher" };

/** Where k3s gets its own images, and with what. */
export interface RegistrySource extends ImageMirror {
  /** Secret: content of a Docker config.json. @default the registry is open */
  readonly credentials?: pulumi.Output<string>;
}

/**
 * Sends k3s' own images through the mirror of the environment. Those of the platform name it themselves, and their pods have its
 * credentials; no pod of k3s has, so k3s' container runtime gets them.
 *
 * @returns undefined where these images come from their own registry.
 */
export function registriesFile({ credentials, ...mirror }: RegistrySource): pulumi.Output<string> | undefined {
  const { registry, folder } = IMAGES_OF_K3S;
  const own = `${registry}/${folder}`;
  const elsewhere = mirrored(own, mirror);
  if (elsewhere === own) {
    return undefined;
  }
  const [host = "", ...path] = elsewhere.split("/");
  const mirrors = {
    // Of other images of that registry it knows nothing: they are asked for under their new names.
    [registry]: { endpoint: [`https://${host}`], rewrite: { [`^${folder}/(.*)`]: `${path.join("/")}/$1` } },
  };
  return pulumi.output(credentials).apply((content) => {
    const auth = content === undefined ? undefined : authOf(content, host);
    return stringify({ mirrors, ...(auth && { configs: { [host]: { auth } } }) });
  });
}

/** What a Docker config.json has for a host, whose name may stand there as an address. */
function authOf(content: string, host: string): { auth: string } | { username: string; password: string } | undefined {
  const { auths = {} } = JSON.parse(content) as { auths?: Record<string, Partial<Record<string, string>>> };
  const entry = Object.entries(auths).find(([key]) => key.replace(/^https?:\/\//, "").split("/")[0] === host)?.[1];
  if (entry?.auth !== undefined) {
    return { auth: entry.auth };
  }
  return entry?.username === undefined ? undefined : { username: entry.username, password: entry.password ?? "" };
}
