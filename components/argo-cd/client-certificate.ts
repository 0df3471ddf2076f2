import type * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import { ARGO_CD, ARGO_CD_SECRETS, CLIENT_CERTIFICATE_FILES } from "./names";

const HOURS_OF_YEAR = 8766;

/**
 * Identifies Argo CD's pods to the repository server, which otherwise runs programs for any client.
 * Not cert-manager's, which Argo CD installs. Self-signed, so no key can sign others.
 * @returns PEM by file.
 */
export function clientCertificate(
  name: string,
  opts: pulumi.CustomResourceOptions,
): Readonly<Record<string, pulumi.Output<string>>> {
  const { privateKeyPem } = new tls.PrivateKey(`${name}-key`, { algorithm: "ECDSA", ecdsaCurve: "P256" }, opts);
  const { certPem } = new tls.SelfSignedCert(
    name,
    {
      privateKeyPem,
      subject: { commonName: ARGO_CD },
      allowedUses: ["digital_signature", "client_auth"],
      // The first deployment of its last year makes another.
      validityPeriodHours: 10 * HOURS_OF_YEAR,
      earlyRenewalHours: HOURS_OF_YEAR,
    },
    opts,
  );
  const { authority, certificate, key } = CLIENT_CERTIFICATE_FILES;
  return { [authority]: certPem, [certificate]: certPem, [key]: privateKeyPem };
}

/** Paths of Argo CD 3.6 (docs/operator-manual/mtls.md); the chart has no values for them. */
export function certificateVolume(...files: readonly string[]) {
  const name = "repository-server-clients";
  return {
    volumes: [
      {
        name,
        secret: { secretName: ARGO_CD_SECRETS.clients, items: files.map((path) => ({ key: path, path })) },
      },
    ],
    volumeMounts: [{ name, mountPath: "/app/config/reposerver/mtls", readOnly: true }],
  };
}
