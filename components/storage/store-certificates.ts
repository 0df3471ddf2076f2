import type { ICertificate } from "@kubernetes-models/cert-manager/cert-manager.io/v1/Certificate";
import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Authority, CERTIFICATES_API, issuerReference } from "../certificates/authority";
import type { CertManager } from "../certificates/cert-manager";
import { customResource } from "../core/custom-resource";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { MODEL_STORE_HOST, MODEL_STORE_SERVICE } from "./store-layout";

/** The store's certificate authority: its ClusterIssuer, and the Secret with its key in cert-manager's namespace. */
const AUTHORITY = "model-store-ca";

/** Secret in the store's namespace with `tls.crt`, `tls.key` and `ca.crt`. */
export const SERVER_CERTIFICATE_SECRET = "minio-tls";
/** Secret in each model's namespace whose `ca.crt` its pods trust; a ConfigMap for a store elsewhere. */
export const TRUST_SECRET = "model-store-trust";
/** File of the authority's certificate in every container that talks to the store. */
export const CA_FILE = "/etc/model-store/ca.crt";

export interface StoreCertificatesArgs {
  /** Namespace of the store. */
  readonly namespace: pulumi.Input<string>;
  readonly certManager: CertManager;
}

/**
 * TLS of the model store: weights and access keys cross the pod network, which most clusters do not encrypt, so
 * plain HTTP is not offered. A certificate authority of its own signs the server's certificate. It is a ClusterIssuer
 * because clients sit in other namespaces: each requests a certificate of its own there and finds the authority's
 * next to it (`ca.crt`), which spares a controller that copies bundles around.
 */
export function storeCertificates(
  name: string,
  { namespace, certManager }: StoreCertificatesArgs,
  opts: OptionsOfGone,
): void {
  const aliases = childrenOfGone("storage:StoreCertificates", name, opts);
  const after = { ...pulumi.mergeOptions({ ...opts, aliases }, { dependsOn: [...certManager.ready] }), aliases };
  new Authority(
    `${name}-ca`,
    {
      kind: "ClusterIssuer",
      authority: AUTHORITY,
      bootstrap: `${AUTHORITY}-bootstrap`,
      namespace: certManager.namespace,
      commonName: "inference-stacks model store",
      formerly: {
        bootstrap: `${name}-bootstrap`,
        certificate: `${name}-authority`,
        issuer: `${name}-issuer`,
      },
    },
    after,
  );
  customResource<ICertificate>(
    `${name}-server`,
    {
      apiVersion: CERTIFICATES_API,
      kind: "Certificate",
      name: MODEL_STORE_SERVICE,
      namespace,
      spec: {
        ...issued(SERVER_CERTIFICATE_SECRET),
        dnsNames: [MODEL_STORE_HOST, `${MODEL_STORE_HOST}.cluster.local`],
        usages: ["digital signature", "server auth"],
      },
    },
    after,
  );
}

/** The certificate through which a client's namespace learns whom to trust: `TRUST_SECRET`. */
export function trustCertificate(
  logicalName: string,
  namespace: pulumi.Input<string>,
  certManager: CertManager,
  opts: pulumi.CustomResourceOptions,
): void {
  customResource<ICertificate>(
    logicalName,
    {
      apiVersion: CERTIFICATES_API,
      kind: "Certificate",
      name: TRUST_SECRET,
      namespace,
      spec: { ...issued(TRUST_SECRET), commonName: "model store client", usages: ["digital signature", "client auth"] },
    },
    pulumi.mergeOptions(opts, { dependsOn: [...certManager.ready] }),
  );
}

/** Volume and mount that put the authority's certificate at `CA_FILE`. */
export interface TrustedAuthority {
  readonly volume: kubernetes.types.input.core.v1.Volume;
  readonly mount: kubernetes.types.input.core.v1.VolumeMount;
}

/** Of a Secret of cert-manager; the private key stays out. */
export function caFile(secretName: string): TrustedAuthority {
  return trustedAuthority({ secret: { secretName, items: [{ key: "ca.crt", path: "ca.crt" }] } });
}

/** @param from holds `ca.crt`. */
export function trustedAuthority(
  from: Pick<kubernetes.types.input.core.v1.Volume, "secret" | "configMap">,
): TrustedAuthority {
  return {
    volume: { name: "model-store-ca", ...from },
    mount: { name: "model-store-ca", mountPath: "/etc/model-store", readOnly: true },
  };
}

function issued(
  secretName: string,
): Pick<NonNullable<ICertificate["spec"]>, "secretName" | "privateKey" | "issuerRef"> {
  return {
    secretName,
    privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
    issuerRef: issuerReference("ClusterIssuer", AUTHORITY),
  };
}
