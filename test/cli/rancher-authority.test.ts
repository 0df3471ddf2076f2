import { describe, expect, it } from "vitest";
import { assertAuthority } from "../../cli/management-servers/rancher";
import { shippedText } from "../../names/shipped-file";

const AUTHORITY = shippedText("test/fixtures/certificates/example-ca.pem");
const OTHER = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

describe("what a Rancher server hands out to agents as its authority", () => {
  it("is taken as caCerts has it, or where both have none", () => {
    expect(() => assertAuthority(AUTHORITY, `${AUTHORITY.trim()}\n\n`)).not.toThrow();
    expect(() => assertAuthority(undefined, " \n")).not.toThrow();
  });

  it.each([
    [AUTHORITY, OTHER, "/v3/settings/cacerts"],
    [AUTHORITY, "", "remove rancher.caCerts"],
    // Agents verify a public certificate by it, too, once the server has applied its own manifest.
    [undefined, OTHER, "write it as rancher.caCerts, or empty the setting"],
  ])("is refused otherwise", (caCerts, handedOut, fix) => {
    expect(() => assertAuthority(caCerts, handedOut)).toThrow(fix);
  });
});
