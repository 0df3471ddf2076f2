/** How Jobs that copy models reach the Hugging Face Hub. */
import type * as kubernetes from "@pulumi/kubernetes";
import type { End } from "../core/connections";
import { type ClusterNetworks, internet } from "../core/network";
import { type OutsideAddress, outsideEnds, serverAt } from "../core/outside";
import type { StoreEndpoint } from "./store-server";

/** The way out of networks that have none of their own. */
export interface HubAccess {
  /** A server that speaks the Hub's API. @default huggingface.co */
  readonly hub?: OutsideAddress;
  /** An HTTP proxy that tunnels (CONNECT). @default none */
  readonly proxy?: OutsideAddress;
  /** Buckets elsewhere, by name. @default none */
  readonly buckets?: Readonly<Record<string, SourceBucket>>;
  /** Registries that need more than their names, by host. @default none */
  readonly registries?: Readonly<Record<string, SourceRegistry>>;
}

/** Of a registry that models are copied from. */
export interface SourceRegistry {
  /** CIDRs of it, and of the servers that it refers to. @default unknown */
  readonly networks?: readonly string[] | undefined;
  /** Name of the secret that opens it. @default requests are anonymous */
  readonly secretKey?: string | undefined;
  /** PEM. @default public ones */
  readonly authorities?: string | undefined;
}

/** A bucket that models are copied from. */
export interface SourceBucket extends SourceRegistry {
  readonly url: string;
  readonly region: string;
}

/** Where the Jobs connect to, and the port there. */
export function hubEnd(
  { hub, proxy }: HubAccess,
  networks: Pick<ClusterNetworks, "privateCidrs">,
): { readonly to: readonly End[]; readonly port: number } {
  const first = proxy ?? hub;
  return first === undefined
    ? { to: internet(networks), port: 443 }
    : { to: outsideEnds(first, networks), port: serverAt(first).port };
}

/**
 * Variables of such a Job. Node reads the proxy's from release 24 on, where NODE_USE_ENV_PROXY says so (Node's CLI documentation); neither
 * the store nor the Kubernetes API is behind it.
 */
export function hubVariables(
  { hub, proxy }: HubAccess,
  { url }: Pick<StoreEndpoint, "url">,
): kubernetes.types.input.core.v1.EnvVar[] {
  return [
    ...(hub ? [{ name: "HF_ENDPOINT", value: hub.url.replace(/\/+$/, "") }] : []),
    ...(proxy
      ? [
          { name: "NODE_USE_ENV_PROXY", value: "1" },
          { name: "HTTPS_PROXY", value: proxy.url },
          { name: "HTTP_PROXY", value: proxy.url },
          // Kubernetes puts the address in its place.
          { name: "NO_PROXY", value: `${new URL(url).hostname},$(KUBERNETES_SERVICE_HOST)` },
        ]
      : []),
  ];
}
