import { privateKey, selfSigned } from "../../self-signed";
import { serveGenerated } from "./generated";

/** Stands in for the official `tls` provider, for a key and a certificate as the program asks for them. */
serveGenerated("5.6.1", {
  "tls:index/privateKey:PrivateKey": () => ({ privateKeyPem: privateKey() }),
  "tls:index/selfSignedCert:SelfSignedCert": ({ privateKeyPem, subject, validityPeriodHours }) => ({
    certPem: selfSigned(String(privateKeyPem), {
      commonName: String(Object(subject).commonName),
      days: Number(validityPeriodHours) / 24,
    }),
  }),
});
