import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";
import { type ImageMirror, mirrored } from "../../../catalog/image-mirror";

/** Location of k3s' images: pause, CoreDNS, metrics-server, local-path, servicelb. */
const IMAGES_OF_K3S = { registry: "docker.io", folder: "rancher" };

/** Registry and credentials of k3s' own images. */
export interface RegistrySource extends ImageMirror {
  /** Secret: content of a Docker config.json. @default no authentication */
  readonly credentials?: pulumi.Output<string>;
}

/**
 * Redirects k3s' own images to the environment's mirror. Pods of k3s neither name the mirror nor
 * have credentials, so the container runtime gets both.
 *
 * @returns undefined if these images come from their original registry.
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
    // Other images of that registry are requested by their new names.
    [registry]: { endpoint: [`https://${host}`], rewrite: { [`^${folder}/(.*)`]: `${path.join("/")}/$1` } },
  };
  return pulumi.output(credentials).apply((content) => {
    const auth = content === undefined ? undefined : authOf(content, host);
    return stringify({ mirrors, ...(auth && { configs: { [host]: { auth } } }) });
  });
}

/** Entry of a Docker config.json for a host, which may be stored as a URL. */
function authOf(content: string, host: string): { auth: string } | { username: string; password: string } | undefined {
  const { auths = {} } = JSON.parse(content) as { auths?: Record<string, Partial<Record<string, string>>> };
  const entry = Object.entries(auths).find(([key]) => key.replace(/^https?:\/\//, "").split("/")[0] === host)?.[1];
  if (entry?.auth !== undefined) {
    return { auth: entry.auth };
  }
  return entry?.username === undefined ? undefined : { username: entry.username, password: entry.password ?? "" };
}
