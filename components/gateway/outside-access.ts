/** What the gateway needs, besides routes, to call a server outside: whom to trust there, and the key that it asks for. */
import type { IBackend } from "@kubernetes-models/envoy-gateway/gateway.envoyproxy.io/v1alpha1/Backend";
import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { standardLabels } from "../../names/labels";
import { customResource } from "../core/custom-resource";
import { type OutsideAddress, serverAt } from "../core/outside";
import { PlatformComponent } from "../core/platform-component";
import type { IBackendSecurityPolicy } from "./ai-gateway-types";
import { namedSecret } from "./named-secret";
import { TENANT_HEADER } from "./names";
import type { OutsidePublished } from "./published";

/**
 * Headers that stay here: what a client sends in addition to the key that the gateway removed, and what our backends receive
 * of it. The consumer's name goes along in `x-consumer-id`, because the access log and the count of its tokens read it of the same
 * headers once the answer is there.
 */
export const HEADERS_THAT_STAY = ["x-api-key", "cookie", TENANT_HEADER] as const;

/**
 * Trust and settings of TLS, of a server whose URL says https.
 *
 * @param authorities ConfigMap with those that its certificate may be signed by. @default those that the gateway's image trusts
 */
export function upstreamTls(
  address: OutsideAddress,
  authorities: string | undefined,
): Pick<NonNullable<IBackend["spec"]>, "tls"> {
  const { tls, host } = serverAt(address);
  if (!tls) {
    return {};
  }
  // The name is both what the server is asked for and what its certificate must be of (Envoy Gateway 1.9, translator.go).
  return authorities === undefined
    ? { tls: { wellKnownCACertificates: "System", sni: host } }
    : { tls: { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: authorities }], sni: host } };
}

/** The same of a published one. */
export function serverTls(server: OutsidePublished): Pick<NonNullable<IBackend["spec"]>, "tls"> {
  const { address, authorities } = server.outside;
  return upstreamTls(address, authorities && authoritiesName(server));
}

function authoritiesName({ name }: OutsidePublished): string {
  return `external-${name}-ca`;
}

function keyName({ name }: OutsidePublished): string {
  return `external-${name}`;
}

export interface OutsideKeysArgs {
  readonly namespace: pulumi.Input<string>;
  readonly servers: readonly OutsidePublished[];
  /** Keys of the servers, by the names of the secrets. */
  readonly apiKeys: Readonly<Record<string, pulumi.Output<string>>>;
}

/**
 * Keys of servers outside, and the certificates of their authorities. The AI gateway's filter puts a key in the place of what a
 * client sent there, so that no client's key leaves the cluster.
 */
export class OutsideKeys extends PlatformComponent {
  /** @throws Error when a key is missing: validation refuses that before. */
  constructor(name: string, args: OutsideKeysArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:OutsideKeys", name, opts);
    for (const server of args.servers) {
      this.authorities(server, args.namespace);
      this.key(server, args);
    }
    this.registerOutputs({});
  }

  private authorities(server: OutsidePublished, namespace: pulumi.Input<string>): void {
    const { authorities } = server.outside;
    if (authorities === undefined) {
      return;
    }
    new kubernetes.core.v1.ConfigMap(
      this.child(`authorities-${server.name}`),
      { metadata: this.metadata(server, authoritiesName(server), namespace), data: { "ca.crt": authorities.text } },
      this.childOptions(),
    );
  }

  private key(server: OutsidePublished, { namespace, apiKeys }: OutsideKeysArgs): void {
    const { secretKey } = server.outside;
    if (secretKey === undefined) {
      return;
    }
    const key = namedSecret(apiKeys, secretKey, `models.${server.name}`);
    const metadata = this.metadata(server, keyName(server), namespace);
    const secret = new kubernetes.core.v1.Secret(
      this.child(`key-${server.name}`),
      { metadata, stringData: { apiKey: key } },
      this.childOptions(),
    );
    const secretRef = { group: "", kind: "Secret", name: keyName(server) };
    customResource<IBackendSecurityPolicy>(
      this.child(`by-model-${server.name}`),
      {
        apiVersion: "aigateway.envoyproxy.io/v1beta1",
        kind: "BackendSecurityPolicy",
        ...metadata,
        spec: {
          targetRefs: [{ group: "aigateway.envoyproxy.io", kind: "AIServiceBackend", name: server.name }],
          type: "APIKey",
          apiKey: { secretRef },
        },
      },
      this.childOptions<pulumi.CustomResourceOptions>({ dependsOn: [secret] }),
    );
  }

  private metadata(server: OutsidePublished, name: string, namespace: pulumi.Input<string>) {
    return { name, namespace, labels: { ...standardLabels("external-model", server.name) } };
  }
}
