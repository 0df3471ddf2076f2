import { charts } from "./charts";
import table from "./image-signatures.json";
import { images } from "./images";

/** cosign's identity of a signer, or a key. */
export interface SignatureCheck {
  /** Whole identity in the certificate; `{tag}` and `{version}` are those of the image. */
  readonly identity?: string;
  /** Regular expression of it instead. */
  readonly identityPattern?: string;
  /** URL of the identity provider. */
  readonly issuer?: string;
  /** URL of a public key, instead of an identity. */
  readonly key?: string;
  /** Further flags that the publisher names. */
  readonly flags?: readonly string[];
}

/** A publisher that documents how to check its images. */
export interface SignedImages {
  readonly publisher: string;
  /** Registry and repository. */
  readonly images: readonly string[];
  readonly check: SignatureCheck;
  readonly source: string;
  readonly notes?: string;
}

/** A publisher whose signatures cannot be verified from outside, and what it documents. */
export interface UnverifiedImages {
  readonly publisher: string;
  readonly images: readonly string[];
  readonly read: string;
}

/** A chart in an OCI registry whose publisher documents how to check it. */
export interface SignedChart {
  readonly publisher: string;
  /** Catalogue name. */
  readonly chart: string;
  readonly reference: string;
  readonly check: SignatureCheck;
  readonly source: string;
}

// Checked against catalog/schema by test/catalog.
export const signedImages: readonly SignedImages[] = table.signed;
export const unverifiedImages: readonly UnverifiedImages[] = table.unverified;
export const signedCharts: readonly SignedChart[] = table.charts;

/** Commands that verify signed images and charts, by publisher. */
export function signatureCommands(): { readonly publisher: string; readonly commands: readonly string[] }[] {
  return [
    ...signedImages.map(({ publisher, images: repositories }) => ({
      publisher,
      commands: images
        .filter(({ repository }) => repositories.includes(repository))
        .flatMap(({ repository, tag }) => signatureCommand(repository, tag) ?? []),
    })),
    ...signedCharts.map(({ publisher, chart, reference, check }) => ({
      publisher: `${publisher} (chart)`,
      commands: charts
        .filter(({ name }) => name === chart)
        .map(({ version }) => command(check, version, filled(reference, version))),
    })),
  ];
}

/** The command that checks one image; undefined where its publisher documents none. */
export function signatureCommand(repository: string, tag: string, digest?: string): string | undefined {
  const signed = signedImages.find(({ images: repositories }) => repositories.includes(repository));
  return signed && command(signed.check, tag, `${repository}:${tag}${digest ? `@${digest}` : ""}`);
}

function command({ identity, identityPattern, issuer, key, flags = [] }: SignatureCheck, tag: string, of: string) {
  const options = [
    identity && `--certificate-identity ${identity}`,
    identityPattern && `--certificate-identity-regexp '${identityPattern}'`,
    issuer && `--certificate-oidc-issuer ${issuer}`,
    key && `--key ${key}`,
    ...flags,
  ].filter((option) => option !== undefined);
  return filled(["cosign verify", ...options, of].join(" "), tag);
}

function filled(text: string, tag: string): string {
  return text.replaceAll("{tag}", tag).replaceAll("{version}", tag.replace(/^v/, ""));
}
