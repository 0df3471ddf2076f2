import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askVersion, isAtLeast } from "../../../rehearsal/parts/version";

const numbers = fc.tuple(fc.nat(40), fc.nat(40), fc.nat(40));

describe("comparing versions", () => {
  it("orders as the numbers do, not as text", () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const weight = ([major, minor, patch]: readonly number[]) =>
          (major ?? 0) * 1e6 + (minor ?? 0) * 1e3 + (patch ?? 0);
        expect(isAtLeast(a.join("."), b.join("."))).toBe(weight(a) >= weight(b));
      }),
    );
  });
});

describe("asking a binary for its version", () => {
  it.each([
    { output: "Kubernetes v1.36.3", version: "1.36.3" },
    {
      output: "envoy  version: 9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL",
      version: "1.40.0",
    },
    { output: "promtool, version 2.42.0+ds (branch: debian/sid, revision: 2.42.0+ds-5)", version: "2.42.0" },
    { output: "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64", version: "7.0.15" },
    { output: "OpenSSH_9.2p1 Debian-2+deb12u6, OpenSSL 3.0.15 3 Sep 2024", version: "9.2" },
    { output: "GNU Make 4.3\nBuilt for x86_64-pc-linux-gnu", version: "4.3" },
    {
      output: "minio version DEVELOPMENT.GOGET (commit-id=none)\nRuntime: go1.26.8 linux/amd64",
      version: "minio version DEVELOPMENT.GOGET (commit-id=none)",
    },
  ])("reads $version", ({ output, version }) => {
    expect(askVersion("/bin/echo", [output])).toBe(version);
  });

  it("fails when the binary does", () => {
    expect(() => askVersion("/bin/sh", ["-c", "echo no; exit 4"])).toThrow("exit status 4: no");
  });
});
