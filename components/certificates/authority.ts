import type { ICertificate } from "@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate";
import type { IClusterIssuer } from "@kubernetes-models/cert-manager/cert-manager.io/v1/ClusterIssuer";
import type { IIssuer } from "@kubernetes-models/cert-manager/cert-manager.io/v1/Issuer";
import type * as pulumi from "@pulumi/pulumi";
import { customResource } from "../core/custom-resource";
import type { OptionsOfGone } from "../core/gone-component";
import { PlatformComponent } from "../core/platform-component";

export const CERTIFICATES_API = "cert-manager.io/v1";

export interface IssuerReference {
  readonly group: "cert-manager.io";
  /** `ClusterIssuer` if other namespaces use it. */
  readonly kind: "Issuer" | "ClusterIssuer";
  readonly name: string;
}

export function issuerReference(kind: IssuerReference["kind"], name: string): IssuerReference {
  return { group: "cert-manager.io", kind, name };
}

export interface AuthorityArgs {
  readonly kind: IssuerReference["kind"];
  /** Name of the issuer, and of the certificate and Secret of its key. */
  readonly authority: string;
  /** Issuer that signs the authority's own certificate. */
  readonly bootstrap: string;
  /** Namespace of the key: the issuer's, or cert-manager's for cluster-wide issuers. */
  readonly namespace: pulumi.Input<string>;
  readonly commonName: string;
  /** Logical names in 0.1.0, when children had the user as parent. @default none */
  readonly formerly?: Readonly<Record<Part, string>>;
}

type Part = "bootstrap" | "certificate" | "issuer";

/**
 * A private certificate authority valid for ten years: a self-signed issuer for its certificate,
 * and an issuer for others.
 */
export class Authority extends PlatformComponent {
  readonly issuer: IssuerReference;

  constructor(name: string, args: AuthorityArgs, opts: OptionsOfGone = {}) {
    super("certificates:Authority", name, { ...opts, aliases: [] });
    const { kind, authority, bootstrap, namespace, commonName } = args;
    const formerly = (suffix: Part) => {
      const former = args.formerly?.[suffix];
      const parents = [opts.parent, ...(opts.aliases ?? []).map(({ parent }) => parent)];
      return this.childOptions<pulumi.CustomResourceOptions>(
        former === undefined ? {} : { aliases: parents.map((parent) => ({ name: former, ...(parent && { parent }) })) },
      );
    };
    const issuer = (suffix: "bootstrap" | "issuer", objectName: string, spec: IIssuer["spec"]) =>
      customResource<IIssuer | IClusterIssuer>(
        this.child(suffix),
        {
          apiVersion: CERTIFICATES_API,
          kind,
          name: objectName,
          ...(kind === "Issuer" && { namespace }),
          spec,
        },
        formerly(suffix),
      );
    issuer("bootstrap", bootstrap, { selfSigned: {} });
    customResource<ICertificate>(
      this.child("certificate"),
      {
        apiVersion: CERTIFICATES_API,
        kind: "Certificate",
        name: authority,
        namespace,
        spec: {
          isCA: true,
          commonName,
          secretName: authority,
          // Must far outlive clients' certificates: clients keep this one until they renew theirs.
          duration: "87600h",
          privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Never" },
          issuerRef: issuerReference(kind, bootstrap),
        },
      },
      formerly("certificate"),
    );
    issuer("issuer", authority, { ca: { secretName: authority } });
    this.issuer = issuerReference(kind, authority);
    this.registerOutputs({});
  }
}
