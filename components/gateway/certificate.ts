import type { ICertificate } from "@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate";
import type { IIssuer } from "@kubernetes-models/cert-manager/cert-manager.io/v1/Issuer";
import type * as pulumi from "@pulumi/pulumi";
import { ISSUED_SECRET } from "../../names/gateway";
import { Authority, CERTIFICATES_API, type IssuerReference, issuerReference } from "../certificates/authority";
import type { AcmeServer } from "../certificates/cert-manager";
import { customResource } from "../core/custom-resource";
import { PlatformComponent } from "../core/platform-component";
import { GATEWAY_NAME, LISTENERS } from "./names";
import type { GatewayService } from "./service-routes";
import { listenerReference } from "./traffic";

/** Where the gateway's certificate comes from. */
export type GatewayTls =
  /** A CA made in the cluster: for development, since clients must be configured to trust it. */
  | { readonly kind: "self-signed" }
  /** An ACME server, by HTTP-01 challenge: the hostname must resolve to the gateway, port 80 be open to the server. */
  | ({ readonly kind: "acme"; readonly email: string } & AcmeServer)
  /** A TLS Secret that someone else keeps in the gateway's namespace. */
  | { readonly kind: "secret"; readonly secretName: string }
  /** A ClusterIssuer that someone else keeps. */
  | { readonly kind: "issuer"; readonly clusterIssuer: string };

/** Directory of Let's Encrypt, whose certificates browsers and clients trust. */
const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/**
 * Name of the Secret that an HTTPS listener reads: of the models' one, or of a service's. Each has a certificate of its
 * own: clients with HTTP/2 use a connection for all names of its certificate, and would end at the wrong listener. A
 * Secret that is given is for all.
 */
export function tlsSecretName(tls: GatewayTls, service?: string): string {
  if (tls.kind === "secret") {
    return tls.secretName;
  }
  return service === undefined ? ISSUED_SECRET : `${ISSUED_SECRET}-${service}`;
}

export interface GatewayCertificateArgs {
  readonly namespace: pulumi.Input<string>;
  readonly hostname: string;
  /** Services with a hostname of their own. */
  readonly services: readonly Pick<GatewayService, "name" | "hostname">[];
  readonly tls: GatewayTls;
}

/** The gateway's certificates and its issuer; nothing, when a Secret is given. */
export class GatewayCertificate extends PlatformComponent {
  private readonly args: GatewayCertificateArgs;

  constructor(name: string, args: GatewayCertificateArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gateway:GatewayCertificate", name, opts);
    this.args = args;
    switch (args.tls.kind) {
      case "self-signed":
        this.issue(issuerReference("Issuer", this.certificateAuthority()));
        break;
      case "acme":
        this.issue(issuerReference("Issuer", this.issuer("acme", acmeIssuerSpec(args.tls))));
        break;
      case "issuer":
        this.issue(issuerReference("ClusterIssuer", args.tls.clusterIssuer));
        break;
      case "secret":
        break;
    }
    this.registerOutputs({});
  }

  private issue(issuer: IssuerReference): void {
    const { hostname, services, tls } = this.args;
    this.serverCertificate("server", tlsSecretName(tls), hostname, issuer);
    for (const service of services) {
      this.serverCertificate(service.name, tlsSecretName(tls, service.name), service.hostname, issuer);
    }
  }

  private serverCertificate(suffix: string, secretName: string, hostname: string, issuer: IssuerReference): void {
    this.certificate(
      suffix,
      {
        secretName,
        dnsNames: [hostname],
        privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
        usages: ["digital signature", "server auth"],
        issuerRef: issuer,
      },
      // The challenge needs a Gateway whose listeners all work, and the HTTPS ones need a certificate: until the ACME
      // server has answered, one that no client trusts.
      // Whether an existing issuer asks for one is unknown.
      this.args.tls.kind === "acme" || this.args.tls.kind === "issuer"
        ? { "cert-manager.io/issue-temporary-certificate": "true" }
        : undefined,
    );
  }

  private certificateAuthority(): string {
    const authority = new Authority(
      this.child("ca"),
      {
        kind: "Issuer",
        authority: "gateway-ca",
        bootstrap: "gateway-self-signed",
        namespace: this.args.namespace,
        commonName: `${GATEWAY_NAME} gateway CA`,
        formerly: {
          bootstrap: this.child("self-signed-issuer"),
          certificate: this.child("ca-certificate"),
          issuer: this.child("ca-issuer"),
        },
      },
      this.childOptions(),
    );
    return authority.issuer.name;
  }

  private issuer(suffix: string, spec: IIssuer["spec"]): string {
    const name = `gateway-${suffix}`;
    customResource<IIssuer>(
      this.child(`${suffix}-issuer`),
      { apiVersion: CERTIFICATES_API, kind: "Issuer", name, namespace: this.args.namespace, spec },
      this.childOptions(),
    );
    return name;
  }

  private certificate(
    suffix: string,
    spec: NonNullable<ICertificate["spec"]>,
    annotations?: Readonly<Record<string, string>>,
  ): void {
    customResource<ICertificate>(
      this.child(`${suffix}-certificate`),
      {
        apiVersion: CERTIFICATES_API,
        kind: "Certificate",
        name: `gateway-${suffix}`,
        namespace: this.args.namespace,
        ...(annotations && { annotations }),
        spec,
      },
      this.childOptions(),
    );
  }
}

function acmeIssuerSpec({ email, server }: { readonly email: string } & AcmeServer): IIssuer["spec"] {
  return {
    acme: {
      email,
      server: server ?? LETS_ENCRYPT,
      privateKeySecretRef: { name: "gateway-acme-account" },
      solvers: [
        {
          http01: {
            gatewayHTTPRoute: {
              parentRefs: [listenerReference(LISTENERS.http)],
            },
          },
        },
      ],
    },
  };
}
