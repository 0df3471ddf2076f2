import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { authorityChecksum, registrationToken } from "../../names/rancher";

describe("the checksum of a Rancher server's authority", () => {
  it("is of the text with one line break at its end, whatever the file has there", () => {
    const text = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";
    const expected = createHash("sha256").update(`${text}\n`).digest("hex");
    for (const end of ["", "\n", "\n\n", " \r\n"]) {
      expect(authorityChecksum(`${text}${end}`)).toBe(expected);
    }
    expect(authorityChecksum(undefined)).toBe("");
  });
});

describe("a registration token", () => {
  it("is read from an import URL, or stays what it is", () => {
    const token = "7hxmd8qkrb5tvwz24689";
    expect(registrationToken(`https://rancher.example.com/v3/import/${token}_c-abc12.yaml`)).toBe(token);
    expect(registrationToken(token)).toBe(token);
  });

  it.each([
    "token-abcde:7hxmd8qkrb5tvwz24689",
    "https://rancher.example.com/v3/import/7hxmd8qkrb5tvwz24689.yaml",
    "https://rancher.example.com/v3/import/7hxmd8qkrb5tvwz24689_c-abc12.yaml?x=1",
    "https://rancher.example.com",
    "7hxmd8",
  ])("is not %s", (text) => {
    expect(registrationToken(text)).toBeUndefined();
  });
});
