import { describe, expect, it } from "vitest";
import { signatureChecks } from "../../bundle/signatures";
import { signaturesText } from "../../bundle/text";
import { imageEntry } from "../../catalog/images";

const { repository, tag } = imageEntry("cert-manager-webhook");
const digest = `sha256:${"a".repeat(64)}`;
const own = { reference: "registry.acme.io/control:1.0", digest };

describe("how to check signatures of a bundle's images", () => {
  it("is told by the publisher's name of each, with the digest that came, also of a mirror's", () => {
    for (const reference of [`${repository}:${tag}`, `registry.acme.io/all/${repository}:${tag}@${digest}`]) {
      expect(signatureChecks([{ reference, digest }, own])).toEqual([
        expect.stringMatching(
          new RegExp(`^cosign verify --key https://cert-manager\\.io/.* ${repository}:${tag}@${digest}$`),
        ),
      ]);
    }
  });

  it("says of how many nobody documents one", () => {
    const text = signaturesText([{ reference: `${repository}:${tag}` }, own]);
    expect(text).toMatch(/^Signatures: the publishers of 1 of 2 images .*docs\/signatures\.md\)\n {2}cosign verify \S/);
    expect(signaturesText([own])).toContain("0 of 1 images");
  });
});
